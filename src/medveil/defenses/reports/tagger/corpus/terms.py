"""Words of medicine that look like names, places or numbers of people, and are none."""

from __future__ import annotations

EPONYMS = (
    "Kerley B lines,Kerley A lines,Swan-Ganz catheter,Foley catheter,Hickman catheter,Fleischner Society guidelines,Fleischner "
    "criteria,Fleischner sign,Port-A-Cath,Hodgkin lymphoma,Hodgkin's disease,non-Hodgkin lymphoma,Pancoast tumor,Westermark sign,"
    "Hampton hump,Hampton's hump,Golden S sign,Parkinson disease,Parkinson's disease,Parkinson's,Alzheimer dementia,Alzheimer's,"
    "Alzheimer's disease,Crohn disease,Crohn's disease,Crohn's,Graves disease,Graves' disease,Hashimoto thyroiditis,Hashimoto's,"
    "Cushing syndrome,Cushing's,Addison disease,Marfan syndrome,Marfan's,Down syndrome,Down's syndrome,Turner syndrome,Klinefelter "
    "syndrome,Wolff-Parkinson-White syndrome,Guillain-Barré syndrome,Guillain-Barre,Sjögren syndrome,Sjogren's,Raynaud phenomenon,"
    "Raynaud's,Behçet disease,Kawasaki disease,Wegener granulomatosis,Churg-Strauss syndrome,Goodpasture syndrome,Kartagener "
    "syndrome,Ehlers-Danlos syndrome,Caplan syndrome,Hamman-Rich syndrome,Löffler syndrome,Loeffler's,Mounier-Kuhn syndrome,"
    "Swyer-James syndrome,Poland syndrome,Scheuermann disease,Schmorl nodes,Schmorl's nodes,Paget disease,Paget's disease,Pott "
    "disease,Ewing sarcoma,Kaposi sarcoma,Wilms tumor,Burkitt lymphoma,Barrett esophagus,Barrett's esophagus,Zenker diverticulum,"
    "Zenker's,Meckel diverticulum,Mallory-Weiss tear,Boerhaave syndrome,Bochdalek hernia,Morgagni hernia,Hirschsprung disease,"
    "Whipple procedure,Whipple,Nissen fundoplication,Roux-en-Y gastric bypass,Billroth II,Hartmann procedure,Ivor Lewis "
    "esophagectomy,Fontan procedure,Glenn shunt,Blalock-Taussig shunt,Bentall procedure,Ross procedure,Harrington rods,Harrington "
    "rod,Dobhoff tube,Dobbhoff tube,Dobhoff,Blakemore tube,Sengstaken-Blakemore tube,Minnesota tube,Salem sump,Yankauer suction,"
    "Levin tube,Penrose drain,Jackson-Pratt drain,JP drain,Hemovac,Blake drain,Pleurx catheter,Heimlich valve,Groshong catheter,"
    "Broviac catheter,Quinton catheter,Tenckhoff catheter,Mahurkar catheter,Permacath,Shiley tracheostomy,Bivona,Greenfield filter,"
    "Bird's Nest filter,Impella,Amplatzer device,Watchman device,Starr-Edwards valve,Björk-Shiley valve,St. Jude valve,St. Jude "
    "mitral valve,Carpentier-Edwards valve,Medtronic,Medtronic pacemaker,Boston Scientific ICD,Biotronik,Edwards Sapien,CoreValve,"
    "Luque rods,Steinmann pin,Kirschner wire,K-wires,Rush rod,Bankart lesion,Hill-Sachs deformity,Hill-Sachs lesion,Colles "
    "fracture,Smith fracture,Galeazzi fracture,Monteggia fracture,Jones fracture,Lisfranc injury,Salter-Harris II,Bennett fracture,"
    "Chance fracture,Jefferson fracture,Hangman fracture,Baker cyst,Baker's cyst,Morton neuroma,Achilles tendon,Cobb angle,Cobb,"
    "Chiari malformation,Dandy-Walker,Arnold-Chiari,Rathke cleft cyst,Virchow-Robin space,circle of Willis,Sylvian fissure,foramen "
    "of Monro,Heschl gyrus,Broca area,Wernicke,Babinski,Babinski sign,Romberg,Brudzinski,Kernig,Murphy sign,Murphy's sign,McBurney "
    "point,Rovsing sign,Homans sign,Trousseau sign,Chvostek,Valsalva,Valsalva maneuver,Trendelenburg position,Fowler position,"
    "Glasgow Coma Scale,Glasgow,Apgar scores,Apgar,Braden scale,Morse fall score,Wells score,Wells criteria,Geneva score,Child-Pugh "
    "class B,Child-Pugh,Ranson criteria,Gleason 3+4,Gleason score,Breslow,Clark level,Duke criteria,Dukes B,Light's criteria,"
    "Framingham,Charcot joint,Charcot,Dupuytren contracture,Peyronie,Fournier gangrene,Ludwig angina,Lemierre syndrome,Bell palsy,"
    "Bell's palsy,Ramsay Hunt,Horner syndrome,Horner's,Adie pupil,Argyll Robertson,Todd paralysis,Huntington disease,Lou Gehrig,"
    "Lewy body,Creutzfeldt-Jakob,Wilson disease,Gaucher disease,Fabry,Tay-Sachs,Von Willebrand disease,von Willebrand,von "
    "Hippel-Lindau,von Recklinghausen,Factor V Leiden,Budd-Chiari,Gilbert syndrome,Kupffer cells,Epstein-Barr virus,Epstein-Barr,"
    "Coxsackie,Lyme disease,Norwalk,Ebola,Legionella,Klebsiella,Pneumocystis jirovecii,Mycobacterium kansasii,Salmonella,Bartonella,"
    "Clostridium difficile,Staphylococcus aureus,Candida glabrata,Gram stain,Wright stain,Pap smear,Coombs,Bence Jones,Auer rods,"
    "Reed-Sternberg,Howell-Jolly,Heinz bodies,Doppler,Holter monitor,Bruce protocol,Dixon,Bucky,Potter-Bucky,Towne view,Waters view,"
    "Caldwell view,Grashey view,Stryker notch,Hounsfield units,Mach effect,Moiré,Bosniak II,Bosniak,Stanford type A,DeBakey,Stanley,"
    "Haller index,Reid index,Mallampati III,Cormack-Lehane,Macintosh blade,Miller blade,Seldinger,Allen test,Kussmaul,Cheyne-Stokes,"
    "Ringer's lactate,lactated Ringer's,Hartmann's solution,Ace wrap,Ace bandage,Aspen collar,Miami J collar,Philadelphia collar,"
    "Halo,Buck's traction,Thomas splint,Unna boot,Ambu bag,Hoyer lift,Kelly clamp,Bovie,Gelfoam,Surgicel,Gore-Tex,Dacron,Marlex"
).split(",")
NAMED_AFTER = (
    "disease,syndrome,sign,procedure,catheter,tube,stent,fracture,score,criteria,classification,test,maneuver,valve,clamp,drain,"
    "reflex,cyst,hernia,nodes,lines,angle,index,position,view,method,tumor,lymphoma,thyroiditis,shunt,operation,repair,filter,splint,"
    "pin,plate,needle,forceps,scale,triad,law,effect,grade,stage,ligament,fascia,space,body,bodies,cells,canal,duct,fissure,lobe"
).split(",")
DRUGS = (
    "aspirin,Plavix,Coumadin,warfarin,Lasix,furosemide,Lopressor,metoprolol,Toprol XL,atenolol,lisinopril,Zestril,Norvasc,"
    "amlodipine,Lipitor,atorvastatin,Zocor,Crestor,Synthroid,levothyroxine,Prednisone,Solu-Medrol,Decadron,dexamethasone,Advair,"
    "Spiriva,albuterol,Combivent,Atrovent,Flovent,Singulair,Levaquin,levofloxacin,azithromycin,Zithromax,ceftriaxone,Rocephin,"
    "cefepime,vancomycin,Vanco,Zosyn,meropenem,Flagyl,Cipro,Bactrim,Keflex,Augmentin,Unasyn,amoxicillin,doxycycline,fluconazole,"
    "acyclovir,Tamiflu,remdesivir,heparin,Lovenox,enoxaparin,Eliquis,Xarelto,insulin,Lantus,Humalog,NPH,metformin,Glucophage,"
    "glipizide,Januvia,morphine,Dilaudid,fentanyl,Percocet,Vicodin,oxycodone,Tylenol,acetaminophen,ibuprofen,Motrin,Toradol,Ativan,"
    "Haldol,Zyprexa,Seroquel,Risperdal,Zoloft,Prozac,Celexa,Lexapro,Paxil,Wellbutrin,Remeron,trazodone,Ambien,Klonopin,Xanax,"
    "Neurontin,gabapentin,Dilantin,Keppra,Depakote,Tegretol,Sinemet,Aricept,Namenda,Protonix,Nexium,Prilosec,omeprazole,Pepcid,"
    "Zantac,Carafate,Reglan,Zofran,Colace,Senna,Dulcolax,Miralax,Lactulose,potassium chloride,KCl,magnesium,Neo-Synephrine,Levophed,"
    "dopamine,dobutamine,vasopressin,amiodarone,digoxin,diltiazem,Cardizem,propofol,Versed,midazolam,Precedex,etomidate,"
    "succinylcholine,rocuronium,Epogen,Procrit,Neupogen,tamoxifen,Arimidex,Herceptin,Rituxan,Taxol,cisplatin,carboplatin,Gemzar,"
    "pembrolizumab,Keytruda,nivolumab,osimertinib,methotrexate,Humira,Remicade,Plaquenil,allopurinol,colchicine,Fosamax,calcium "
    "carbonate,vitamin D,folate,thiamine,multivitamin,nitroglycerin,Imdur,hydralazine,clonidine,Flomax,Proscar,Viagra,Premarin,"
    "Omnipaque 350,Isovue-370,Visipaque,Gadavist,Magnevist,Gastrografin,Definity,technetium-99m,FDG,thallium,lisinopril/HCTZ"
).split(",")
DIAGNOSES = (
    "pneumonia,community-acquired pneumonia,COPD,COPD exacerbation,congestive heart failure,CHF,asthma,atrial fibrillation,A-fib,"
    "hypertension,HTN,diabetes mellitus,type 2 diabetes,DM2,CAD,coronary artery disease,myocardial infarction,NSTEMI,STEMI,stroke,CVA,"
    "TIA,chronic kidney disease,ESRD on hemodialysis,cirrhosis,hepatitis C,HIV,breast cancer,lung cancer,small cell lung cancer,"
    "prostate cancer,colon cancer,renal cell carcinoma,melanoma,multiple myeloma,lymphoma,leukemia,AML,sepsis,urosepsis,UTI,"
    "pyelonephritis,cellulitis,osteomyelitis,endocarditis,meningitis,pancreatitis,cholecystitis,diverticulitis,appendicitis,small "
    "bowel obstruction,GI bleed,anemia,thrombocytopenia,neutropenic fever,DVT,pulmonary embolism,PE,pneumothorax,pleural effusion,"
    "ARDS,respiratory failure,hypoxia,aspiration,tuberculosis,sarcoidosis,scleroderma,lupus,SLE,rheumatoid arthritis,gout,"
    "osteoporosis,osteoarthritis,hip fracture,rib fractures,compression fracture,dementia,delirium,seizure,seizure disorder,"
    "depression,anxiety,schizophrenia,bipolar disorder,alcohol withdrawal,substance abuse,obesity,sleep apnea,OSA,hypothyroidism,"
    "hyperlipidemia,GERD,peptic ulcer disease,hiatal hernia,aortic stenosis,mitral regurgitation,aortic aneurysm,AAA,aortic "
    "dissection,cardiomyopathy,pericardial effusion,tamponade,cystic fibrosis,sickle cell disease,COVID-19,influenza A,"
    "RSV bronchiolitis,prematurity,hyaline membrane disease,meconium aspiration,trauma,MVC,MVA,fall,gunshot wound,burn,overdose"
).split(",")
SYMPTOMS = (
    "shortness of breath,dyspnea,cough,productive cough,fever,chills,chest pain,pleuritic chest pain,hemoptysis,wheezing,weakness,"
    "fatigue,weight loss,night sweats,syncope,dizziness,headache,nausea,vomiting,abdominal pain,diarrhea,constipation,back pain,"
    "hip pain,leg swelling,palpitations,altered mental status,confusion,agitation,dysphagia,hoarseness,rash,SOB,CP,DOE,N/V,AMS,LOC,"
    "tachycardia,hypotension,hypoxia,desaturation,leukocytosis,bradycardia,oliguria,hematuria,melena,jaundice,epistaxis,sore throat"
).split(",")
ANATOMY = (
    "right upper lobe,right middle lobe,right lower lobe,left upper lobe,left lower lobe,lingula,right apex,left apex,left base,"
    "right base,both bases,retrocardiac region,costophrenic angle,left hemidiaphragm,right hemidiaphragm,mediastinum,right hilum,"
    "left hilum,aortic arch,aortic knob,AP window,carina,trachea,SVC,cavoatrial junction,right atrium,left ventricle,pulmonary "
    "artery,pleura,chest wall,left 6th rib,right fifth rib,thoracic spine,T8 vertebral body,L1,L4-L5,C5-6,clavicle,humeral head,"
    "scapula,sternum,liver,spleen,gallbladder,pancreas,right kidney,left adrenal gland,urinary bladder,uterus,prostate,stomach,"
    "duodenum,colon,sigmoid,appendix,thyroid,brain,frontal lobe,basal ganglia,cerebellum,maxillary sinus,orbit,cervical spine,"
    "lumbar spine,pelvis,left hip,right knee,ankle,wrist,shoulder,femoral neck,tibia,fibula,axilla,breast,abdominal aorta"
).split(",")
DEVICES = (
    "endotracheal tube,ET tube,ETT,nasogastric tube,NG tube,NGT,OG tube,enteric tube,feeding tube,PICC,PICC line,right IJ line,left "
    "subclavian line,central venous catheter,dialysis catheter,tracheostomy tube,chest tube,pigtail catheter,pacemaker,dual-lead "
    "pacemaker,ICD,AICD,LVAD,IABP,intra-aortic balloon pump,prosthetic valve,sternotomy wires,surgical clips,coronary stent,IVC "
    "filter,PEG tube,VP shunt,nephrostomy,ureteral stent,hip prosthesis,spinal hardware,EKG leads,telemetry leads,ECMO cannula,GE Optima scanner,Philips DigitalDiagnost,Siemens Somatom,Canon detector,Carestream DRX,Fuji plate,"
    "Agfa CR,Shimadzu portable,Medtronic model 5076-52,Bard port,Cook catheter,Arrow line,Cordis,Teleflex,Zimmer plate,Stryker rod"
).split(",")
FINDINGS = (
    "consolidation,airspace opacity,patchy opacity,ground-glass opacity,atelectasis,linear atelectasis,scarring,fibrosis,nodule,"
    "calcified granuloma,mass,cavitary lesion,effusion,small pleural effusion,pneumothorax,edema,interstitial edema,pulmonary "
    "vascular congestion,cardiomegaly,hyperinflation,emphysema,bronchiectasis,bronchial wall thickening,pneumomediastinum,"
    "subcutaneous emphysema,lymphadenopathy,hilar enlargement,tortuous aorta,aortic calcification,degenerative changes,osteophytes,"
    "compression deformity,fracture,dislocation,hiatal hernia,free air,elevated hemidiaphragm,pleural thickening,infiltrate,"
    "hemorrhage,infarct,hydronephrosis,gallstones,ascites,abscess,diverticulosis,obstruction,stenosis,thrombus,cyst,lesion"
).split(",")
EXAMS = (
    "CHEST PA AND LATERAL,CHEST (PORTABLE AP),CHEST 2 VIEWS,XR CHEST 1 VIEW,CT CHEST WITHOUT CONTRAST,CT HEAD W/O CONTRAST,CT "
    "ABDOMEN AND PELVIS WITH CONTRAST,CTA CHEST,MRI BRAIN,MRI LUMBAR SPINE,US ABDOMEN,RENAL ULTRASOUND,KUB,PELVIS AP,LEFT HIP 2 "
    "VIEWS,RIGHT KNEE,C-SPINE,BILATERAL MAMMOGRAM,PORTABLE CHEST,Chest radiograph,chest x-ray,CXR,PA and lateral chest,CT of the "
    "chest,abdominal CT,noncontrast head CT,echocardiogram,TTE,EKG,V/Q scan,PET/CT,bone scan,barium swallow,upper GI series,DEXA,"
    "venous duplex,carotid ultrasound,cardiac catheterization,bronchoscopy,EGD,colonoscopy,biopsy,DX CHEST 2V,XR CHEST PA/LAT"
).split(",")
SECTIONS = (
    "FINDINGS,IMPRESSION,INDICATION,TECHNIQUE,COMPARISON,HISTORY,CLINICAL HISTORY,REASON FOR EXAM,CONCLUSION,OPINION,EXAM,"
    "EXAMINATION,PROCEDURE,MEDICATIONS,ALLERGIES,PAST MEDICAL HISTORY,PMH,HISTORY OF PRESENT ILLNESS,HPI,SOCIAL HISTORY,FAMILY "
    "HISTORY,PHYSICAL EXAM,LABORATORY DATA,ASSESSMENT,PLAN,HOSPITAL COURSE,DISPOSITION,DISCHARGE DIAGNOSIS,ADMISSION DIAGNOSIS,"
    "REVIEW OF SYSTEMS,VITAL SIGNS,CONSULTS,FOLLOW-UP,DISCHARGE MEDICATIONS,CONDITION ON DISCHARGE,Clinical Information,Summary"
).split(",")
SPECIALTIES = (
    "Cardiology,Pulmonology,Radiology,Nephrology,Neurology,Oncology,Hematology,Surgery,General Surgery,Thoracic Surgery,Orthopedics,"
    "Urology,Gastroenterology,GI,Infectious Disease,ID,Endocrinology,Psychiatry,Rheumatology,Dermatology,Anesthesia,Emergency "
    "Medicine,Internal Medicine,Family Medicine,Pediatrics,OB/GYN,Physical Therapy,Social Work,Case Management,Pharmacy,Nutrition"
).split(",")
UNITS = "ED,ER,ICU,MICU,SICU,CCU,NICU,PACU,OR,floor,telemetry,step-down unit,emergency department,wards,clinic,rehab,cath lab".split(
    ","
)
RELATIONS = (
    "wife,husband,son,daughter,mother,father,brother,sister,niece,nephew,partner,grandson,granddaughter,daughter-in-law,friend,"
    "neighbor,guardian,caregiver,next of kin,health care proxy,HCP,POA,emergency contact,fiancé,aunt,uncle,cousin,ex-wife,spouse"
).split(",")
CREDENTIALS = "MD,M.D.,DO,D.O.,MD PhD,MBBS,FRCR,MBBS FRCR,FACR,MBChB,PhD,RN,NP,PA-C,CRNA,RT(R),RRT,PharmD,LICSW,PT,FRCPC,DNP,Dr. med.".split(
    ","
)
DEPARTMENTS = "Department of Radiology,Diagnostic Imaging,Radiology Department,Department of Medicine,Division of Cardiology,Imaging Services,Emergency Department,Department of Surgery".split(
    ","
)
PLANS = (
    "Medicare,Medicaid,Blue Cross,BCBS,Aetna,Cigna,United Healthcare,Humana,Tricare,Kaiser,AOK,Techniker,NHS,Bluefern,Unity Shield,"
    "Meridian Mutual,Evergreen Health,CareHarbor,Harvard Pilgrim,Anthem,MassHealth"
).split(",")
JOBS = (
    "retired teacher,carpenter,nurse,truck driver,retired electrician,accountant,homemaker,farmer,construction worker,veteran,"
    "engineer,secretary,student,mechanic,coal miner,shipyard worker,cook,lawyer,police officer,welder,machinist,bus driver"
).split(",")
ABBREVIATIONS = (
    "SBT RSBI GETA PACU TB CNS GB SARS CD MRSA VRE IU IL ALT AST LDH CRP ESR PCR CT MRI MRA CTA PET EEG EMG ECG EKG TTE TEE LVEF RVSP "
    "AVR MVR TAVR CABG PCI LAD RCA LCX LIMA STEMI NSTEMI ACS CHF HFrEF HFpEF COPD ILD IPF UIP NSIP BOOP COP ARDS TRALI PNA CAP HAP VAP "
    "PTX PE DVT IVC SVC RA RV LA LV PA AP LAT RUL RML RLL LUL LLL ETT NGT OGT PEG PICC CVC CVL IJ SCV HD CRRT ESRD CKD AKI UTI BPH TURP "
    "GERD PUD GIB SBO LBO IBD UC IBS NASH HCV HBV HIV AIDS CMV EBV HSV VZV RSV COVID DM HTN HLD CAD PVD PAD CVA TIA ICH SAH SDH EDH "
    "TBI MS ALS GBS MG AD PD SLE RA OA PMR GCA RCC HCC NHL HL CLL CML AML ALL MM MDS BMT GVHD XRT RT SBRT VATS ORIF THA TKA ACL MCL "
    "DJD DDD MVC MVA GSW LOC GCS NIHSS MRS ADL PT OT SLP NPO PO IV IM SC SQ PRN BID TID QID QHS QD STAT ASAP WNL NAD A&O RRR CTAB NTND "
    "HEENT PERRL EOMI JVD LAD ROM DTR CN II XII NKDA PCN ASA NSAID ACE ARB CCB PPI SSRI MAOI TPN TF NS LR D5W PRBC FFP INR PTT CBC BMP "
    "CMP LFT TSH BUN WBC RBC HGB HCT PLT MCV ABG VBG UA UCX BCX CSF LP BAL AFB ANA ANCA RF CCP PSA CEA AFP DNR DNI POA HCP ICU MICU "
    "SICU CCU NICU PICU ED ER OR L&D OB GYN ENT GI GU ID IR NICU EMS ALS BLS CPR ROSC VF VT SVT AF PVC PAC LBBB RBBB AV SA QT ST PR"
).split()
