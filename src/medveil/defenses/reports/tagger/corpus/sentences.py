"""Sentences without identifiers, of reports and notes of every kind, full of words and numbers that look like some."""

from __future__ import annotations

RADIOLOGY = (
    "[There is|There is a|Again seen is] {finding} in the {anatomy}[|, unchanged|, slightly increased|, new][| since the prior study| compared to prior].",
    "No [evidence of |focal |acute |large |definite |]{finding}[|, {finding}] or {finding}[| is seen| is identified].",
    "The [heart|cardiac silhouette|cardiomediastinal silhouette] is [normal in size|mildly enlarged|within normal limits|top normal|stable].",
    "[Lungs are clear|The lungs are clear bilaterally|Both lungs are well expanded|Lung volumes are low].",
    "[A|The] {device} [ends|terminates|tip projects|is seen] [{cm} cm above the carina|in the SVC|at the cavoatrial junction|over the {anatomy}].",
    "{finding} measuring {size} in the {anatomy}.", "A {mm} mm [nodule|lesion|cyst] in the {anatomy} ([series {small}, image {num}|image {small}/{num}|se {small} im {num}]).",
    "[Interval|Status post] [placement|removal|repositioning] of [a|the] {device}.", "{eponym} [is|are] [noted|present|seen|not seen|again seen].",
    "[There may be|May represent|This may reflect|Findings may be due to|Cannot exclude] {finding}[| or {finding}].",
    "Follow-up [per|according to] Fleischner [Society |]guidelines[| 2017] [in {small} months|in {small}-{num} months|is recommended].",
    "[Recommend|Suggest|Consider] [follow-up|repeat|correlation with] {exam}[| in {small} weeks| in 6-8 weeks| as clinically indicated].",
    "[Mild|Moderate|Severe] [degenerative|multilevel degenerative] changes of the [thoracic|lumbar] spine, worst at {level}.",
    "Compression [deformity|fracture] of {level}, [age indeterminate|chronic|unchanged].", "[Heart size|Cardiothoracic ratio] is [0.5{small}|upper limits of normal].",
    "[Two views|PA and lateral views|2 views|Single AP view|Frontal and lateral radiographs|{small} images] of the chest [were obtained|were reviewed].",
    "[Technique|Protocol]: {num} kVp, {small} mAs, [grid|no grid], [1.5 T|3 T|64-slice], DLP {bignum} mGy-cm.", "Contrast: {num} mL of {drug} [IV|intravenously].",
    "[Lung-RADS 2|Lung-RADS 4A|BI-RADS 1|BI-RADS 0|TI-RADS 3|PI-RADS 4|LI-RADS 5|Bosniak IIF|ASPECTS {small}|AJCC stage IIIB|T2N1M0|pT1c pN0].",
    "The {anatomy} [is|appears] [unremarkable|normal|grossly intact|within normal limits|obscured|prominent].", "[Bones|Osseous structures|Soft tissues|Visualized upper abdomen]: [unremarkable|intact|no acute abnormality].",
    "[Discussed with|Compared to|Per|Seen by|Dr.|on] {gap}[ at {gap}|][, {finding}|].", "XXXX [opacity|XXXX|disease|and XXXX].", "[The XXXX|XXXX-XXXX] XXXX are clear. No XXXX.", "[No acute cardiopulmonary|No active] [disease|process|abnormality|findings].",
    "Long segment [narrowing|stenosis] of the {anatomy}; short-axis {mm} mm.", "[White|gray|black] [matter|lines|blood cells] [changes|noted].", "Gray-white differentiation is preserved.",
    "Young patient with [brown|green|white|rusty] sputum.", "A stone is seen in the {anatomy}.", "The wall is [thickened|intact]; the base is clear; the apex is not included in the field.",
    "[Small|Large|Moderate] [left|right|bilateral] pleural effusion[s|], [left greater than right|R > L|unchanged].", "The line crosses the midline; a drain lies in the {anatomy}.",
    "Marker placed at the site of pain. Cross table lateral is [limited|nondiagnostic].", "Comparison is made to the prior [study|film|CT|examination][| from yesterday| of the same day| one day earlier| last week].",
    "[Stable|Unchanged] appearance [from|since] {small} [days|weeks|months|years] ago.", "Patient is rotated to the [left|right]. The chin obscures the apices.",
    "Left PICC tip in [lower|mid] SVC. No PTX.", "ETT {cm} cm above carina, NGT in stomach, [R IJ|L SCV|RIJ] CVL in [SVC|RA].", "[ETT|NGT|R PICC|L CT] in situ. [No PTX|sm L eff|bibasilar atx|mild CM|NAD].",
    "1. {finding} [in the {anatomy}|]. 2. No {finding}.", "Please see [separate report|CT report|full dictation] for details.", "Findings are consistent with {dx}.", "[Known|History of] {dx} [with|and] {finding}.",
    "{level}-{level} disc [bulge|herniation|extrusion] with [mild|moderate] [foraminal|canal] stenosis.", "Old healed [left|right] {rib} rib fracture[s|].",
    "[Image|Series|Slice|Frame] {num} of {num}; window {bignum}, level {num}.", "Dose: {cm} mSv. Fluoroscopy time {cm} minutes, {num} images.", "[Key images|Images] {num}-{num} [saved|marked].",
    "{exam} shows [no|mild|new] {finding}.", "T[1|2] hyperintense focus, {mm} x {mm} mm, in the {anatomy} without restricted diffusion.", "Aorta measures {cm} x {cm} cm at the level of the {anatomy}.",
    "No pneumothorax or pneumoperitoneum. Pneumo- and hemothorax excluded.", "The right lung is better expanded than before; left lower lobe collapse persists.",
    "The [hili|hila|pulmonary vasculature|mediastinal contours|costophrenic angles] are [normal|sharp|within normal limits|unremarkable|prominent].",
    "[Cholecystectomy clips|Sternotomy wires|Vascular stents|Breast implants|Spinal rods] [noted|are present].", "Appearances [are|would be] in keeping with {dx}. [Is there|?] {finding}?",
    "Lines and tubes: {device}, {device}.", "IMPRESSION: {finding}, {finding} and {finding}. No {finding}.", "[Limited|Suboptimal] study due to [motion|body habitus|portable technique|poor inspiration].",
)  # fmt: skip
CLINICAL = (
    "[Seen|Examined|Doing well|Feeling better] [today|this morning|this afternoon|tonight|yesterday|overnight|last night|at bedside].", "[For|Over] the [past|last|next] {small} [days|hours|weeks|months|years][, {symptom}|].", "[Repeat|Redosed|Held|Observed] [for|after|in|at] {num} minutes; [q4-6h|q12h|x 24 hours|24/7].",
    "[Dr.|Doctor|MD|Nurse|Attending|Resident|Radiologist|Physician] [on call|aware|notified|at bedside|of record|to see patient].", "[Patient|Pt|Family|Wife|Husband|Daughter|Son|Mother] [is here|updated|at bedside|called|agrees|aware|will call back].", "[Room air|Exam room|Operating room|Recovery room|Emergency Room] [sat {num}%|clean|prepared|].",
    "[Signed|Dictated|Reviewed] electronically. [End of report|Final report|Preliminary report].", "[Date|Time|Name|MRN|DOB|Phone] [not available|unknown|withheld|on file|as above].", "[Stage|Grade|Class|Type|Phase|Category|Level|Zone|Segment] [I|II|III|IV|A|B|{small}|{small}a].",
    "{age}-year-old [man|woman|male|female|gentleman|lady] with [a history of |known |PMH of |]{dx}[|, {dx}| and {dx}] [presents|who presents|admitted] with {symptom}[| and {symptom}].",
    "[Pt|Patient|She|He|The patient] [denies|reports|complains of|endorses] {symptom}[|, {symptom}] or {symptom}.", "[Started on|Continue|Received|Given|Switched to] {drug} {dose}[| for {dx}].",
    "{drug} {dose}[|, {drug} {dose}|; {drug} {dose}].", "[BP|bp] {bp}, [HR|P|pulse] {num}, RR {small2}, [T|temp] {temp}, [SpO2|O2 sat|sats] {num}% [RA|on room air|on {small}L NC|2L].",
    "WBC {cm}, [Hgb|HCT] {num}, plt {num}, Na 13{small}, K {cm}, Cr {cm}, glucose {num}, INR {cm}.", "ABG: 7.{num}/{num}/{num}/{small2} on [FiO2 {num}%|{num}% FM|CPAP {small}/{small}].",
    "[Exam|PE]: [NAD|A&Ox3|alert and oriented x{small}], lungs [CTAB|with crackles at bases|coarse], heart RRR, abdomen [soft|NT/ND], ext [no edema|{small}+ edema].",
    "[Will|Plan to] [follow|monitor|continue|check] [cultures|labs|CXR|lytes|I/O] [q{small}h|daily|bid|in am].", "[Consult|Seen by|Discussed with] {specialty}[| team| service].", "Transferred [to|from] [the |]{unit}[| in stable condition].",
    "[Neuro|CV|Resp|GI|GU|ID|Skin|Social|Endo|Heme|F/E/N]: [stable|intact|NSR, no ectopy|on {small}L NC|abd soft|foley patent|afebrile|no issues|alert, MAE|family in to visit].",
    "s/p {procedure}[|, POD #{small}|, POD {small}].", "{procedure} [performed|done] without complication. EBL {num} cc.", "Strength {small}/5 [throughout|in all extremities]; {small}/6 systolic murmur at the apex.",
    "Pain {small}/10, [relieved|controlled] with {drug}.", "[Allergies|NKDA|PCN allergy|Allergic to {drug}].", "Full code. [DNR/DNI|Advance directives discussed].", "Turn q2h, [skin intact|stage II on coccyx|heels off bed], bed in low position.",
    "Vent: [AC|SIMV|PSV] {num}% x {num} x {small2}, PEEP {small}. Suctioned for [thick|white|tan|yellow|blood-tinged] secretions.", "I/O: {bignum}/{bignum}. [UOP|urine output] {num} cc/hr.",
    "[Smokes|Quit smoking|smoked] {small} ppd x {num} years; [occasional|social|no] alcohol.", "[Family history|FH] [notable for|positive for|negative for] {dx} in [mother|father|brother].", "Lives [alone|with wife|with family|independently|in assisted living].",
    "[Works as a|Is a] {job}.", "[Return|Follow up] in {small} [weeks|months|days] or sooner if {symptom} [worsens|recurs].", "EF {num}-{num}%, [mild|moderate] [MR|AS|TR], {eponym}.", "{eponym} [noted|in place|history|status post repair|negative|positive].",
    "Hospital course: [by problem|as follows]. 1) {dx}: treated with {drug}. 2) {dx}: [stable|resolved|improved].", "[Gravida|G]{small} [para|P]{small} at {num} weeks. [Apgars|APGAR] {small} and {small} at 1 and 5 minutes.",
    "Gleason {small}+{small}={small}, PSA {cm}. [ICD-10 code|ICD-10|dx code] [J18.9|I50.9|C34.11|R05|E11.9]; CPT [71046|71045|74177].", "Troponin {cm}, BNP {bignum}, lactate {cm}, D-dimer {bignum}.",
    "[Hope|We hope] to [wean|extubate|discharge] [soon|when stable|in the next {small} days].", "She rose to standing with [min|mod] assist x{small}; long discussion regarding goals of care.", "The case was reviewed at tumor board. No drain output. Mark the site.",
    "[May|can] resume {drug} [in am|tomorrow|when INR < {small}].", "Grant [application|permission]... [See|Page] {small} of {small}.", "ROM [intact|limited]; gait steady; uses [cane|walker|wheelchair].", "Lab [draw|results] pending at [time of discharge|this time].",
    "Temp [max|spike] {temp}, pan cultured, on {drug} day {small}/{small2}.", "[Last|Most recent] A1c {cm}%. Weight {num} kg, height {num} cm, BMI {cm}.", "Diet: [NPO|regular|cardiac|clear liquids|TF at {num} cc/hr].", "On call team aware; pager [with|at] the desk.",
    "[Good|Fair|Poor] [historian|prognosis|appetite]. Wound [clean, dry and intact|CDI], staples [out|removed] POD {small2}.", "Sister and brother healthy; mother died of {dx} at age {age}.", "[Mr|Mrs] visits... not applicable.", "Vaccines up to date ([Pfizer|Moderna|Prevnar 13|Pneumovax 23|Fluzone]).",
    "Please call with [questions|any questions or concerns]. Thank you for [this interesting consult|allowing us to participate in the care of this patient].", "The risks and benefits were explained and informed consent obtained.", "Specimen: [{anatomy}, biopsy|{anatomy}]. Diagnosis: {dx}.",
    "Device interrogation: [DDD {num}-{num}|VVI {num}], lead impedance {num} ohms.", "[Tube feeds|TPN] at goal. [BS|Bowel sounds] present x4 quadrants. Residuals {num} cc.", "{age} y/o with {dx} here for {procedure}.", "{age}F with {symptom}.", "{age} yo M c/o {symptom} x {small} days.", "[Hx|hx]: {age}M {symptom}, ?{dx}.",
)  # fmt: skip
PROCEDURES = (
    "CABG x{small},lobectomy,right upper lobectomy,appendectomy,cholecystectomy,total hip replacement,left TKR,AVR,MVR,thoracentesis,"
    "paracentesis,bronchoscopy,intubation,extubation,tracheostomy,central line placement,PICC placement,cardiac catheterization,"
    "PCI with DES to LAD,{eponym},mastectomy,hysterectomy,C-section,colectomy,nephrectomy,craniotomy,laminectomy L4-5,ORIF,"
    "dialysis,chemotherapy cycle {small},radiation therapy,VATS,pleurodesis,pacemaker placement,liver transplant,AAA repair"
).split(",")
