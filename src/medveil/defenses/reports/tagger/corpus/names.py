"""Names of people from many parts of the world, names that are ordinary words, and names nobody bears yet."""

from __future__ import annotations

import random
from collections import defaultdict
from functools import lru_cache

GIVEN = {
    "english": "James John Robert Michael William David Richard Joseph Thomas Charles Christopher Daniel Matthew Anthony "
    "Donald Steven Paul Andrew Joshua Kenneth Kevin Brian George Timothy Ronald Edward Jason Jeffrey Ryan Jacob Gary "
    "Nicholas Eric Jonathan Stephen Larry Justin Scott Brandon Benjamin Samuel Gregory Alexander Patrick Frank Raymond "
    "Jack Dennis Jerry Tyler Aaron Jose Adam Nathan Henry Douglas Zachary Peter Kyle Noah Ethan Jeremy Walter Keith "
    "Roger Terry Harry Austin Sean Arthur Lawrence Jesse Dylan Bryan Joe Jordan Billy Bruce Albert Willie Gabriel Alan "
    "Juan Logan Wayne Ralph Roy Eugene Randy Vincent Russell Louis Philip Bobby Johnny Bradley Earl Clarence Ernest "
    "Floyd Leroy Melvin Cecil Chester Clyde Elmer Herbert Homer Horace Howard Hubert Irving Lester Lloyd Marvin Norman "
    "Percy Rufus Sidney Virgil Wilbur Cody Trevor Colin Nigel Graham Rupert Giles Alastair Gareth Rhys Owen Callum "
    "Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Lisa Nancy Betty Sandra Margaret Ashley "
    "Kimberly Emily Donna Michelle Carol Amanda Melissa Deborah Stephanie Dorothy Rebecca Sharon Laura Cynthia Amy "
    "Kathleen Angela Shirley Brenda Emma Anna Pamela Nicole Samantha Katherine Christine Helen Debra Rachel Carolyn "
    "Janet Maria Catherine Heather Diane Olivia Julie Joyce Victoria Ruth Virginia Lauren Kelly Christina Joan Evelyn "
    "Judith Andrea Hannah Megan Cheryl Jacqueline Martha Madison Teresa Gloria Sara Janice Ann Kathryn Abigail Sophia "
    "Frances Jean Alice Judy Isabella Julia Denise Beverly Danielle Marilyn Charlotte Natalie Theresa Diana Brittany "
    "Doris Kayla Alexis Lori Edna Ethel Mildred Gertrude Agnes Hazel Irene Thelma Lucille Edith Florence Bernice Blanche "
    "Opal Lillian Eunice Winifred Phyllis Gwendolyn Maureen Siobhan Bridget Fiona Moira Eileen Imogen Phoebe Freya",
    "nick": "Bob Bill Jim Tom Mike Dave Steve Dan Chris Matt Tony Jeff Greg Ron Ken Tim Ed Ted Fred Al Sam Ben Nick Pete "
    "Liz Beth Kate Katie Sue Meg Peggy Maggie Jen Jenny Becky Debbie Cindy Kathy Patty Pat Vicky Mandy Trish Nell",
    "african_american": "Tyrone Jamal Darnell Terrell Deshawn Marquis Lamar Malik Reginald Cedric Keisha Latoya Tamika "
    "Shanice Ebony Monique Lakisha Aaliyah Imani Tanisha DeAndre LaShawn",
    "hispanic": "José Luis Carlos Jorge Miguel Alejandro Fernando Ricardo Eduardo Javier Francisco Manuel Pedro Rafael "
    "Ramón Sergio Arturo Enrique Guillermo Héctor Hugo Ignacio Julio Mauricio Octavio Pablo Rodrigo Rubén Santiago "
    "Tomás Víctor Xavier Esteban Gonzalo María Guadalupe Carmen Rosa Juana Margarita Josefina Verónica Leticia Rosario "
    "Francisca Alicia Yolanda Elena Silvia Lucía Beatriz Graciela Dolores Esperanza Consuelo Pilar Mercedes Inés Paloma "
    "Catalina Ximena Marisol Rocío Itzel João Thiago Luiz Paulo Fátima Conceição",
    "french": "Pierre Jacques Jean-Paul François Étienne Guillaume Mathieu Antoine Olivier Laurent Thierry Yves Gaston "
    "Marie-Louise Geneviève Hélène Amélie Céline Sylvie Brigitte Chantal Monique Odile Éloïse Margaux",
    "german": "Hans Karl-Heinz Jürgen Wolfgang Klaus Dieter Günther Manfred Uwe Rainer Stefan Matthias Heike Ingeborg "
    "Renate Sabine Monika Gisela Helga Katrin Anke Liesel Waltraud Friedrich Ludwig Otto Bernd",
    "italian": "Giovanni Giuseppe Antonio Mario Luigi Vincenzo Salvatore Domenico Francesco Alessandro Matteo Lorenzo "
    "Giulia Francesca Chiara Rosaria Concetta Carmela Angelina Filomena Giuliana Paola",
    "dutch": "Jan Pieter Willem Johannes Hendrik Cornelis Joost Maarten Sander Anneke Marijke Femke Sanne Lotte Griet",
    "nordic": "Lars Sven Nils Erik Anders Bjørn Søren Leif Håkan Jukka Mikko Tuomas Ingrid Astrid Kirsten Sigrid Annika "
    "Linnea Solveig Karin Päivi Aino Gunnar Torsten Ragnar Birgitta",
    "slavic": "Vladimir Dmitri Sergei Ivan Boris Alexei Mikhail Nikolai Yuri Andrzej Krzysztof Piotr Tomasz Paweł Wojciech "
    "Jiří Zdeněk Milan Dragan Goran Zoran Bohdan Taras Natalia Olga Svetlana Irina Tatiana Ludmila Oksana Katarzyna "
    "Agnieszka Małgorzata Jadwiga Zofia Milena Jelena Snežana Ivana Václav",
    "greek_balkan": "Konstantinos Georgios Dimitrios Nikolaos Panagiotis Eleni Aikaterini Vasiliki Despina Ilir Arben "
    "Besnik Drita Radu Mihai Ioana Gheorghe Csaba László Zsuzsa Ágnes Erzsébet",
    "chinese": "Wei Fang Li Xiu-Ying Min Jing Jun Yan Yong Jie Tao Ming Chao Xiaoming Mei Hui Ying Lan Ping Qiang Xin Bo "
    "Hao Yu Zhen Guo Xiaoli Jianhua Meiling Yifan Zihan Ka-Wai Siu-Ming Hok-Man Wing",
    "indian": "Raj Rajesh Suresh Ramesh Amit Sanjay Vijay Anil Sunil Arjun Vikram Rohan Karthik Srinivas Venkatesh Harish "
    "Deepak Ashok Priya Lakshmi Sunita Anjali Kavita Meena Pooja Shreya Divya Sushma Geeta Radha Padma Aarti Gurpreet "
    "Harjit Manpreet Balwinder Nirmala Bhavesh Chandrakant",
    "korean_japanese": "Min-jun Ji-hoon Sung-min Hyun-woo Young-soo Soo-jin Eun-ji Hye-jin Jin Ki-tae Hiroshi Takashi "
    "Kenji Akira Yuki Haruto Satoshi Yuko Keiko Sakura Naomi Emiko Hanako Michiko Ayumi",
    "vietnamese_thai": "Nguyen Minh Thanh Huong Lan Tuan Duc Hung Phuong Thuy Linh Quang Hai Somchai Malee Supaporn "
    "Kittipong Anong Bao Trang Khanh Rodel Jomar Ligaya Analyn",
    "arabic": "Mohammed Muhammad Ahmed Ali Omar Hassan Hussein Khalid Ibrahim Yusuf Mustafa Tariq Samir Karim Nabil "
    "Abdullah Abdul-Rahman Fatima Aisha Khadija Zainab Mariam Layla Noor Amina Huda Salma Yasmin Rania Soraya Mehmet "
    "Ayşe Emre Zeynep Reza Parisa Shirin Farhad Golnaz",
    "african": "Kwame Kofi Oluwaseun Chinedu Emeka Babatunde Adebayo Ngozi Chiamaka Amara Abena Akosua Folasade Thabo "
    "Sipho Nomsa Zanele Tendai Rutendo Wanjiru Kamau Otieno Mamadou Aissatou Fatou Abebe Tigist Hirut",
    "hebrew": "Avraham Moshe Yitzhak Shlomo Yosef Chaim Menachem Rivka Chana Shoshana Tzipora Miriam Devorah Yael Noa",
    "pacific": "Kalani Leilani Tavita Sione Mele Lupe Keoni Nohealani Manaia Aroha Hemi Tane",
}
SURNAMES = {
    "english": "Smith Johnson Williams Jones Davis Miller Wilson Moore Taylor Anderson Thomas Jackson Harris Martin Thompson "
    "Robinson Clark Lewis Walker Allen Wright Scott Adams Nelson Carter Mitchell Roberts Turner Phillips Campbell Parker "
    "Evans Edwards Collins Stewart Morris Rogers Reed Cook Morgan Murphy Bailey Cooper Richardson Cox Howard Peterson "
    "Ramsey Watson Brooks Sanders Bennett Barnes Ross Henderson Coleman Jenkins Perry Powell Patterson Hughes Washington "
    "Butler Simmons Foster Bryant Alexander Griffin Hayes Hamilton Graham Sullivan Wallace Woods Cole West Owens "
    "Reynolds Fisher Ellis Harrison Gibson Mcdonald Marshall Murray Freeman Wells Webb Simpson Stevens Tucker Porter "
    "Hunter Hicks Crawford Boyd Mason Kennedy Warren Dixon Burns Gordon Shaw Holmes Robertson Hunt Daniels Palmer Mills "
    "Nichols Ferguson Knight Hawkins Dunn Perkins Hudson Spencer Gardner Payne Pierce Berry Matthews Wagner Willis "
    "Watkins Olson Carroll Duncan Snyder Cunningham Bradley Lane Andrews Ruiz Harper Riley Armstrong Carpenter Weaver "
    "Greene Lawrence Elliott Chapman Lawson Fields Vaughn Baldwin Thornton Whitaker Abernathy Blackwood Cadwallader "
    "Featherstone Hathaway Ingersoll Kirkpatrick Loxley Merriweather Northcott Osborne Pennington Quimby Ravenscroft "
    "Satterfield Tillinghast Underhill Vanderpool Wetherby Yarborough Atkinson Bickford Colquhoun Dalrymple Eggleston",
    "irish_scottish": "O'Connor O'Neill O'Reilly O'Malley O'Sullivan O'Keefe O'Dwyer McDonald MacLeod McIntyre McAllister "
    "MacGregor McGuinness McKenzie McNamara Fitzpatrick Fitzgerald Gallagher Doherty Brennan Callaghan Donnelly Kavanagh "
    "Maguire Quinn Flanagan Sheehan Finnegan Ó_Ceallaigh Mac_an_Bhaird Buchanan Sinclair Drummond Farquharson",
    "hispanic": "García Rodríguez Martínez Hernández López González Pérez Sánchez Ramírez Torres Flores Rivera Gómez Díaz "
    "Reyes Morales Cruz Ortiz Gutiérrez Chávez Ramos Ruiz Álvarez Mendoza Vásquez Castillo Jiménez Moreno Romero Herrera "
    "Medina Aguilar Guzmán Muñoz Salazar Delgado Rojas Vega Ríos Peña Soto Contreras Silva Núñez Acosta Espinoza "
    "Maldonado Figueroa Cabrera Velázquez García_Márquez Ruiz-Pérez de_la_Cruz de_León del_Valle de_los_Santos "
    "Ponce_de_León Zambrano Quiñones Villanueva Echeverría Almeida Ferreira Carvalho Oliveira dos_Santos da_Silva Pereira",
    "french": "Dubois Durand Moreau Lefebvre Leroy Roux Fournier Girard Bonnet Lambert Rousseau Blanchard Gauthier Tremblay "
    "Bouchard Côté Gagnon Lavoie Pelletier Beauchamp Boudreaux Thibodeaux Le_Blanc de_Villiers D'Angelo L'Heureux "
    "Saint-Pierre Beaulieu Desjardins",
    "german": "Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Klein "
    "Wolf Schröder Neumann Schwarz Zimmermann Krüger Hartmann Lange Werner Krause Lehmann Köhler Herrmann Vogel Winkler "
    "von_Bergen von_der_Leyen zu_Guttenberg Schwarzkopf Eisenhauer Rosenthal Goldstein Kirchner Baumgartner Hochstetler",
    "italian": "Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Bruno Gallo Conti De_Luca Costa "
    "Giordano Mancini Rizzo Lombardi Moretti DiMaggio DeAngelis Della_Rocca D'Agostino Lo_Presti Santangelo Palumbo",
    "dutch": "de_Jong Jansen de_Vries van_den_Berg van_Dijk Bakker Visser Smit Meijer de_Boer Mulder de_Groot Bos Vos Peters "
    "Hendriks van_Leeuwen Dekker Brouwer de_Wit Dijkstra van_der_Meer Vanderbilt Vandermeulen ten_Hoopen van_'t_Veld",
    "nordic": "Hansen Johansen Olsen Larsen Andersen Pedersen Nilsen Kristiansen Jensen Karlsen Johansson Andersson Karlsson "
    "Nilsson Eriksson Lindström Bergström Sjöberg Åkesson Øvergaard Nygård Virtanen Korhonen Nieminen Hämäläinen "
    "Magnúsdóttir Sigurðsson Rasmussen Thorvaldsen",
    "slavic": "Ivanov Smirnov Kuznetsov Popov Sokolov Petrova Volkova Fedorov Morozov Kowalski Nowak Wiśniewski Wójcik "
    "Kamiński Lewandowski Zieliński Szymański Dąbrowska Novák Svoboda Dvořák Procházka Horvat Petrović Jovanović Nikolić "
    "Kovačević Shevchenko Kovalenko Bondarenko Tkachuk Brzezinski Wojciechowski Przybylski Pawlak Jankowski",
    "greek_balkan": "Papadopoulos Georgiou Dimitriou Nikolaidis Pappas Karagiannis Stavropoulos Popescu Ionescu Dumitru "
    "Hoxha Krasniqi Nagy Kovács Szabó Tóth Horváth Varga Kazarian Petrosyan",
    "chinese": "Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou Xu Sun Ma Zhu Hu Guo He Lin Luo Zheng Liang Song Tang Xie Han "
    "Deng Feng Cao Peng Zeng Xiao Tian Dong Pan Yuan Cai Jiang Yu Du Ye Cheng Wei Su Lu Ding Ren Shen Yao Chan Wong "
    "Cheung Leung Lam Lau Ho Ng Ouyang Szeto Au-Yeung",
    "indian": "Patel Shah Singh Kumar Sharma Gupta Reddy Rao Iyer Nair Menon Pillai Krishnan Subramanian Venkataraman "
    "Ramachandran Mukherjee Banerjee Chatterjee Das Bose Ghosh Desai Mehta Joshi Kulkarni Deshpande Agarwal Malhotra "
    "Kapoor Chopra Bhatt Trivedi Chaudhry Khan Siddiqui Gill Dhillon Sandhu Kaur Grewal Fernandes D'Souza Jayawardena "
    "Perera Rahman Chowdhury Islam",
    "korean_japanese": "Kim Lee Park Choi Jung Kang Cho Yoon Jang Lim Oh Shin Seo Kwon Hwang Ahn Sato Suzuki Takahashi "
    "Tanaka Watanabe Ito Yamamoto Nakamura Kobayashi Kato Yoshida Yamada Sasaki Matsumoto Inoue Kimura Hayashi Shimizu",
    "vietnamese_thai": "Nguyen Tran Le Pham Hoang Phan Vu Vo Dang Bui Do Ngo Duong Ly Wongsakul Srisai Chaiyasit Saetang "
    "Santos Reyes Bautista Ocampo Dela_Cruz Macaraeg Pangilinan Tolentino",
    "arabic": "Al-Rashid Al-Hassan El-Masri El-Amin Abdullah Hussein Mahmoud Haddad Khoury Nasser Saleh Mansour Farouk "
    "Al_Zahrani bin_Laith Abu_Bakr Abdel-Rahman Hamdan Qureshi Ansari Hosseini Ahmadi Rezaei Tehrani Yılmaz Kaya Demir "
    "Öztürk Çelik Aydın Şahin Ben_Ali Benali Bouazizi",
    "african": "Okafor Okonkwo Adeyemi Adebayo Eze Nwosu Mensah Owusu Boateng Asante Diallo Traoré Keita Coulibaly Ndiaye "
    "Mwangi Kamau Ochieng Otieno Njoroge Dlamini Nkosi Ndlovu Khumalo Mokoena Moyo Tesfaye Bekele Haile Gebremariam",
    "hebrew": "Cohen Levy Mizrahi Peretz Friedman Katz Shapiro Weinstein Goldberg Rosenberg Greenbaum Ben-David Bar-Lev "
    "Abramowitz Horowitz Rabinowitz",
    "pacific": "Kealoha Kamaka Kahananui Tuiasosopo Faleolo Tupou Ngata Parata Te_Kanawa Tamatea",
    "double": "Smith-Jones Taylor-Brown Garcia-Lopez Hall-Williams Lloyd-Davies Bowes-Lyon Kim-Nguyen Meyer-Schulte "
    "Fernández-Vega Johnson-Reyes Baker-Finch Ali-Hassan Berg-Olsen O'Brien-Kelly",
}
# names that are ordinary words, also of radiology: only what stands around them tells
WORD_SURNAMES = (
    "Young Hand Bone Gray Grey Rose May Long Short Stone Field Small Wall Price Cross Banks Little White Brown Black Green "
    "Swan Hart Ward Page Frame Marker Drain Wood Rich Best Day Winter March Lines Border Clear Strong Savage Case Base Apex "
    "Moody Sharp Downs Hope Love Grant Wise Good Bright Bush Forest Rivers Lake Hill Hall House Church Bishop Pope King "
    "Prince Duke Baker Butcher Cook Farmer Fisher Hunter Mason Miller Potter Sawyer Smith Tanner Turner Weaver Bell Ball Bass "
    "Berry Bird Blood Bond Book Booth Branch Bridges Burns Bullock Cage Cash Chance Child Close Coffee Cotton Crane Cruise "
    "Dear Dial Drew Early English Fairchild Fish Flood Fox Frost Gates Glass Gold Hardy Head Heard Held Hollow Horn Ivory Joy "
    "Keen Kidney Lamb Land Law Leg Light Lock Lord Low Mann Marks Marsh Means Mild Moon Moss Neal Noble North Nurse Olive "
    "Pain Park Parrot Peace Pepper Post Power Pray Pride Quick Rain Reading Read Rice Root Rush Sage Sands Seal Self Shell "
    "Shields Singer Skull Snow South Spear Spring Star Steel Street Summer Sweet Temple Tongue Town Tree Underwood Vein Vice "
    "Walls Waters Waxman West Wheeler Wing Wolf Words Worth Yellow York Cold Cough Chin Ling Ma An Do So No In On To Yu Day "
    "Friend Sample Patient Read Chest Lung Mass Lobe Hickman Foley Kerley Swan Ganz Hodgkin Graves Bell Parkinson Down Pott "
    "Colles Smith Baker Salter Harris Babinski Murphy Hill Sachs Bennett Barton Crohn Wilson Addison Cushing Marfan Ewing"
)
WORD_GIVEN = (
    "May April June Rose Hope Faith Grace Joy Iris Olive Pearl Ruby Amber Crystal Dawn Eve Violet Lily Daisy Ivy Heather "
    "Will Mark Art Ray Drew Chase Grant Miles Rich Frank Bill Bob Jack Rob Pat Guy Dean Earl Duke Major Sonny Rusty Sandy "
    "Chance Cliff Clay Gene Hunter Mason Carter Cooper Tanner Sky Summer Autumn Winter Melody Harmony Charity Patience "
    "Prudence Destiny Angel Jewel Ginger Basil Reed Heath Ford Royal Victor Dusty Max Sue Don Dot Penny Honey An My So Do"
)
_BOUND = "\0"


def given_names() -> dict[str, list[str]]:
    return {origin: names.split() for origin, names in GIVEN.items()}


def surnames() -> dict[str, list[str]]:
    return {origin: [name.replace("_", " ") for name in names.split()] for origin, names in SURNAMES.items()}


class CoinedNames:
    """New names from the letters of known ones: what follows two or three letters follows them here too."""

    def __init__(self, names: list[str]) -> None:
        self._after: dict[str, list[str]] = defaultdict(list)
        for name in names:
            if " " in name or len(name) < 4:
                continue
            padded = _BOUND * 3 + name.lower() + _BOUND
            for place in range(3, len(padded)):
                self._after[padded[place - 3 : place]].append(padded[place])
                self._after[padded[place - 2 : place]].append(padded[place])

    def draw(self, rng: random.Random) -> str:
        while True:
            name = _BOUND * 3
            while len(name) < 17:
                known = self._after.get(name[-3:] if rng.random() < 0.75 else name[-2:]) or self._after[name[-2:]]
                letter = known[int(rng.random() * len(known))]
                if letter == _BOUND:
                    break
                name += letter
            if 4 <= len(name) - 3 <= 13:
                return "-".join(part.capitalize() for part in name[3:].split("-"))


@lru_cache(maxsize=2)
def coined(kind: str) -> CoinedNames:
    lists = given_names() if kind == "given" else surnames()
    return CoinedNames([name for names in lists.values() for name in names])


@lru_cache(maxsize=4)
def coined_words(kind: str, known: tuple[str, ...]) -> CoinedNames:
    return CoinedNames([word for words in known for word in words.split()])
