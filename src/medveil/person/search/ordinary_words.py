"""Words that reports use for anything but names, so that a name spelled like one is taken only among names.

Everyday English and the language of chest radiographs; a word counts with its common endings too.
"""

from __future__ import annotations

from functools import lru_cache

_EVERYDAY = """
a able about above across act active actual acute add address adequate adjust admit advance advise affect after again
against age ago agree ahead aid aim air alert all allow almost alone along already also alter although always am amid
among amount an and angle another answer any apart appear apply approach april area arm around arrive art as ask aside
assist at attach attempt august autumn available aware away back bad balance ball band bank banks bar bare base basic
bath bay be beam bear beat because become bed been before begin behind being bell below bench bend beneath benefit
beside best better between beyond big bill bird bit black blank blind block blood blow blue board body bone book
border born both bottom bound bow bowl box boy branch brand brave break breath breathe bridge brief bright bring broad
brown brush build burn bush busy but buy by cage call calm camp can cane cap card care carry case cast catch cause
cell center central centre certain chain chair chamber chance change chapel charge chart chase check child choice
choose church circle city civil class clean clear clerk click climb close cloud club coast coat code cold collar
collect color colour column come common compare complete concern condition confirm connect consider contact contain
content continue control cook cool copy core corner correct cost cotton could count country couple course court cover
cream cross crown current curve cut daily dark dash data date dawn day days dead deal dean dear death december decide
deep degree delay deliver demand deny depend depth describe design desk detail develop device dial did differ
difficult dim direct discuss distance divide do document does dog done door dose double doubt down downs dozen draft
drain draw drew drive drop dry due during dust duty each eager earl early earth ease east easy eat edge effect effort
eight either elder eleven else empty end ends enough ensure enter entire equal error even evening event ever every
evident exact except excess exist expect expert explain extend extent extra eye face fact fail faint fair faith fall
false family far farmer farm fast father fault favor fax fear feature february feed feel feet fell felt fence few
field fields fifteen fifth fifty figure file fill film final find fine finger finish fire firm first fish fit five fix
flat fleet floor flow fold follow food foot for force ford forest form former fort forty forward four fourth fox frame
frank free fresh friday friend from front frost full further future gain game garden gardener gate general gentle
gentleman get girl give glass go goal god gold gone good goods grace grand grant grass grave graves gray great green
grey ground group grow guard guest guide had hair half hall hand hands handle happen hard harm has hat have hay he
head heal health hear heard heart heat heavy height held hello help hence her here hers high hill him his history hold
hole home hood hope hospital hot hour hours house how however hundred hunt hurt husband i ice idea if ill image
immediate important improve in inch include increase indeed inform inner input inquire inside instead into iris iron
is issue it item its january job join joint joy judge july jump june just keen keep kept key kind king knee knew
knight know known lack lady lake lamb land lane large last late later laugh law lay lead leaf learn least leave led
left leg lend length less let letter level lie life lift light like likely limb limit line lines link list little live
local lock lone long longer look loose lord lose loss lost lot loud love low lower luck made mail main major make male
man many march mark marked marker market mars marsh mass master match matter may maybe me mean measure meet member
mention merit met method mid middle midst might mild mile miles mill mind mine minor minute miss mix model moment
monday month months moody moon more morning most mother mount mouth move mr mrs ms much must my nail name narrow near
neat necessary neck need neither never new next nice night nine no noble none noon nor north northern not note noted
nothing notice notify november now number nurse o oak object obtain obvious occur october of off offer office often
old olive on once one only onto open opinion or order other our out outer outline outside over own oxygen pace pack
page paged pain pair pale palm paper parent park part partial particular parts party pass past path patient peace peak
pearl people per perhaps period person phone pick picture piece pike place placed plain plan plane plant plate play
please plus point pole poll pool poor pope port portable position possible post pound power practice prepare present
press previous price pride prior private probable problem process produce proper prove provide public pull pulse pure
purpose push put quality quarter question quick quiet quite rain raise range rare rate rather raw ray reach read
reader reading real really rear reason receive recent record red reduce reed refer reflect regard region regular
relate relative relay release remain remark remove repeat replace report represent request require resolve respond
rest result return review rib rice rich ride right ring rise river road robust rock role roll roof room root rope rose
rough round routine row rule run rush safe sage said saint sale salt same sample sand saturday saved savage saw say
scale scan scar scene school sea season seat second secondary section see seem seen self sell send senior sense sent
separate september serial series serve service set settle seven several severe shade shadow shape share sharp she
shell shield ship shoe shore short should show side sign signal signed silver similar simple since sing single sir
site situation six size skin sky slight slow small smooth snow so soft some son song soon sore sort sound source south
southern space speak special specific speed spend spoke spot spread spring square stable staff stage stain stand star
start state station stay steady steel steep stem step still stock stone stood stop store story strange stream street
strength stretch strong struck structure study style subject such sudden suggest suit summer sun sunday supply support
suppose sure surface swan sweet swift system table take taken tall tape task team tear tell ten term test text than
thank that the their them then there these they thick thin thing think third thirty this those though thought thousand
three through thursday tie time times tip tissue title to today together told tone too took tool top total touch
toward tower town track trace train treat tree trial true try tube tuesday turn twelve twenty twice twin two type
under unit until up upon upper upward urgent us use used usual value vary vast very via view visit voice wade wait
walk walker wall want war ward warm was wash watch water wave way we weak wear weather wednesday week weeks weight
well wells went were west western wet what wheel when where whether which while white who whole whom whose why wide
width wife wild will win wind window wing winter wire wise wish with within without wolf woman wood woods word work
world worse worst worth would write written wrong yard year years yellow yes yesterday yet you young your zero zone
"""

_CLINICAL = """
abdomen abdominal ablation abnormal abnormality abscess abut access accentuate adenopathy adhesion adjacent aerate
aeration age airspace airway alveolar amorphous anemia aneurysm angle anterior aorta aortic apex apical apices
appearance arch arrhythmia arterial artery artifact arthritis arthroplasty aspect aspiration assessment asthma
asymmetric asymmetry atelectasis atelectatic atheroma atherosclerosis atherosclerotic atrial atrium atypical
augmentation axilla axillary azygos bariatric barium basal base bases basilar bedside benign biapical bibasilar
bifurcation bilateral biopsy bladder bleb blunt blunting bony borderline bowel brachial brachiocephalic breast
bronchial bronchiectasis bronchitis bronchogram bronchovascular bronchus bulla bullous bypass calcification calcified
calcify calculus cancer caliber callus carcinoma cardiac cardiogenic cardiomediastinal cardiomegaly cardiopulmonary
cardiophrenic cardiothoracic cardiovascular cardioverter carina carinal carotid cartilage catheter cava caval cavitary
cavitation cavity cavoatrial centimeter centrilobular cervical chest cholecystectomy chronic cirrhosis clavicle
clavicular clinical clip clips collapse compensated compression conclusion confluent congenital congestion congestive
consistent consolidation contour contrast contusion convexity coronary correlate correlation cortex cortical costal
costophrenic cough craniocaudal crowding curvature cyst cystic decompensate decrease decubitus defibrillator deformity
degeneration degenerative demineralization demonstrate density descending deviation device diabetes diagnosis
diagnostic dialysis diaphragm diaphragmatic diffuse diffusely dilatation dilate dilated diminish discoid disease
displace displacement distal distend distention distress diverticulum dobhoff dorsal drainage dual dullness duplex
dyspnea ectasia ectatic edema edematous effusion elevate elevated elevation embolism embolus emphysema emphysematous
empyema endotracheal enlarge enlarged enlargement enteric eosinophilic epicardial epigastric equivocal erect erosion
esophageal esophagus etiology evaluate evaluation eventration exacerbation exam examination exclude exposure
expiratory extrapleural extremity extubate fat fever fibrillation fibrosis fibrotic findings fissure fistula flattened
flattening fluid fluoroscopic fluoroscopy focal foci focus foreign fracture frontal fungal fusion ganglion gas gastric
gastroesophageal glenohumeral gouty granuloma granulomatous granulomas ground hardware haze haziness hazy heart
hematoma hemidiaphragm hemithorax hemoptysis hemorrhage hemothorax hepatic hernia herniation heterogeneous hiatal
hiatus hila hilar hilum histoplasmosis homogeneous humeral humerus hydropneumothorax hyperaerated hyperexpanded
hyperexpansion hyperinflated hyperinflation hyperlucency hyperlucent hypertension hypertensive hypoinflated
hypoventilation hypoxia hypoxic idiopathic impression inability incidental indeterminate indication indistinct indwell
infarct infection infectious inferior infiltrate infiltration inflammation inflammatory inflate inflation infrahilar
infusion inhalation inhomogeneous innominate insertion inspiration inspiratory intact intercostal interlobular
internal interposition interstitial interstitium interval intervene intervention interventricular intestinal
intrathoracic intubate intubation ischemia joint jugular junction kyphosis kyphotic kyphoscoliosis laceration lateral
laterality lead leads lesion leukemia leukocytosis ligament linear lingula lingular lobar lobe lobectomy lobes
lobulated lobulation lordosis lordotic loculate loculated lucency lucent lumbar lumen lung lungs lymph lymphadenopathy
lymphangitic lymphoma mainstem malignancy malignant malposition mammary mandible manubrium margin marginal markings
mass massive mastectomy maxilla mechanical mediastinal mediastinum median medial medical medication mesothelioma metal
metallic metastases metastasis metastatic midclavicular midline midlung midthoracic miliary mitral moderate monitor
motion mucous multifocal multilevel multilobar multiple murmur muscle myocardial narrowing nasogastric neoplasm
neoplastic nephrectomy nerve nipple node nodes nodular nodularity nodule nodules normal oblique obliterate obscure
obstruct obstruction obstructive occlude occult opacification opacified opacities opacity opaque orogastric orthopedic
osseous ossification osteoarthritis osteopenia osteopenic osteophyte osteophytes osteoporosis overexpand overinflation
overlap overlie overlying overload pacemaker pacer pacing pain pancreatic paraspinal parasternal paratracheal
parenchyma parenchymal paucity patchy pathologic pathology pectoral pectus penetrate penetration peribronchial
pericardial pericarditis pericardium perihilar peripheral peritoneal persistent phrenic physician picc plaque
platelike pleura pleural plethora pneumatocele pneumoconiosis pneumomediastinum pneumonectomy pneumonia pneumonic
pneumonitis pneumoperitoneum pneumothorax pneumothoraces port posterior posteroanterior postoperative postsurgical
preoperative pressure prevascular procedure process productive prominence prominent prosthesis prosthetic protocol
proximal proximity pulmonary purulent radiodense radiograph radiographic radiologist radiology radiolucent radiopaque
reactive recurrent redistribution redundant reflux renal resection residual respiratory resolution resonance reticular
reticulonodular retrocardiac retrosternal rheumatoid rotate rotated rotation rupture sarcoid sarcoidosis satisfactory
scapula scapular scarring sclerosis sclerotic scoliosis scoliotic segment segmental semiupright sepsis septal septic
septum sequela sequelae shallow shift shortness shoulder silhouette sinus skeletal smoker smoking sodium soft spinal
spine spiculated spleen splenic spondylosis spondylitis spur spurring staple status stenosis stent sternal sternotomy
sternum stomach streak streaky strain subacute subclavian subcutaneous subdiaphragmatic subpleural subpulmonic
subsegmental substernal subtle sulcus sulci superimpose superior supine supraclavicular suprahilar surgery surgical
suture suspicion suspicious swallow sweats symmetric symmetrical symptom syncope syndrome tachycardia technician
technique technologist tenderness tension terminate thoracentesis thoracic thoracolumbar thoracotomy thorax thrombosis
thrombus thymic thymus thyroid tissue tortuosity tortuous trachea tracheal tracheostomy transfer transverse trauma
traumatic tuberculosis tubular tumor ulcer ultrasound uncoiled uncoiling underinflated underlying undiagnosed
unremarkable upright valve valvular varices vascular vascularity vasculature vein vena venous ventilate ventilation
ventilator ventral ventricle ventricular vertebra vertebrae vertebral vessel vessels viral visceral visible visualize
volume volvulus wedge wheeze wheezing widen widened yellow foley hickman kerley fleischner ganz hodgkin crohn
alzheimer parkinson whipple dobbhoff quinton blalock glenn bochdalek morgagni harrington cushing marfan raynaud
wegener swyer doppler valsalva trendelenburg hampton westermark
"""

# Two and three letters that are something else wherever they stand, and so say nothing of a person's initials.
_SHORT = """
ad ae af al am an ap as at av be bp by ca cc ch ci cm co cr ct cv cx cxr da db dc de di dm dob do dr ds dt dx ed ef eg
ekg ecg ent er es et ett ev ex ext fb fe ff fr ft fu fx ga gb ge gen gi gm go gu ha hd he hf hh hi hip hiv hr ht hx id
ie if ii iii iv ivc im in inf int io ir is it iu iwmi ja jvp ka kb ke kg km kub kv kvp la lab lad lao lat lb ld le lft
lij ll lld lll lm lo lpo ls lt lul ma map mas max mb mc md me mg mi mid mm mo mr mri mrn ms mt mv my na nb ne neg ng
ngt nl nm no non nos np npo nr ns ob og ok on op or os ot ox oz pa pah pac pan par pcp pe per pet pft ph picc pm pna
po pod pos pp pr prn ps pt ptx pv px qa qd ra rad rao rb rd re ref rll rml rn ro rpo rr rt rue rul rv rx sa sc se si
so sob sp sq sr st std sup svc sx ta tb te th ti tia to tr tv tx ua ui uk un up upr us usa ut uti va vad vap vc vp vs
vt wa wb wbc we wnl wo wt xr yo yr jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun
"""
ABBREVIATIONS = frozenset(_SHORT.split())

_WORDS = frozenset((_EVERYDAY + _CLINICAL).split())
_ENDINGS = ("s", "es", "d", "ed", "ing", "ly", "al", "er", "est", "y", "ally", "ion", "ions")


@lru_cache(maxsize=1 << 15)
def is_ordinary(word: str) -> bool:
    """Whether a folded word is one of the language, and not only a name."""
    if word in _WORDS or word in ABBREVIATIONS:
        return True
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if len(stem) >= 3 and stem != word and (stem in _WORDS or (ending[0] in "aeiy" and stem + "e" in _WORDS)):
            return True
    return False
