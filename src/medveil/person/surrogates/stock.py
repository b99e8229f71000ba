"""The names that surrogates are drawn from: plausible people, towns and hospitals that stand for nobody."""

from __future__ import annotations

_WOMEN = """
Adela Adrienne Agatha Agnes Alana Alberta Aletta Alma Althea Amelia Anita Annabel Antonia Ariana Astrid Augusta Audra
Barbara Beatrix Bernice Bettina Blanche Bonnie Brenda Camilla Carla Carmela Cassandra Cecily Celeste Charlene Christa
Clarissa Claudia Colette Constance Cordelia Corinne Daphne Darlene Delia Denise Diana Dolores Edith Edwina Eileen
Elaine Elvira Emmeline Enid Erica Esther Eugenia Eunice Evelyn Fay Felicity Fern Flora Florence Frances Frieda Gemma
Georgina Geraldine Gladys Glenda Gloria Greta Gwen Heather Henrietta Hilda Holly Imogen Irma Isabel Ivy Jacinta Jill
Joanna Joyce Juanita Julia Justine Karla Kathleen Keira Kimberly Lara Laurel Leah Lenora Leona Lillian Linnea Lois
Lorna Louisa Lucinda Lydia Mabel Madeline Marcia Marina Marjorie Martina Matilda Maureen Melanie Meredith Mildred
Minerva Miriam Moira Muriel Myra Nadine Nancy Natalie Nellie Nina Nora Odette Opal Paige Pamela Patricia Paula
Penelope Phoebe Phyllis Portia Priscilla Rachel Ramona Regina Renata Rhoda Rita Roberta Rosalind Rowena Sabrina Selma
Serena Sheila Shirley Sonia Stella Sylvia Tabitha Tamara Teresa Thelma Tilda Tracy Trudy Ursa Valerie Vera Verna
Veronica Viola Vivian Wanda Wilma Winifred Yolanda Yvette Yvonne Zelda Zoe
"""
_MEN = """
Abel Adrian Alan Albert Alden Alec Alfred Allen Alvin Amos Andrew Angus Anthony Archie Arnold Asa Aubrey Austin Barry
Basil Benedict Bernard Bert Bradley Brent Brian Bruce Bryce Byron Caleb Calvin Carl Cecil Cedric Chester Christopher
Clarence Claude Clayton Clement Clyde Corey Craig Curtis Cyril Damian Darren Dean Delbert Dennis Derek Desmond Donald
Dorian Douglas Dudley Dwight Earl Edgar Edwin Elias Elliott Elmer Emil Eric Ernest Ethan Eugene Evan Everett Felix
Floyd Francis Fredric Gareth Gavin Geoffrey Gerald Gilbert Glen Gordon Graham Gregory Guy Harvey Herbert Homer Horace
Howard Hubert Hugo Humphrey Ignatius Irving Isaac Ivor Jared Jasper Jeremy Jerome Joel Jonah Julian Justin Keith
Kelvin Kenneth Kent Kirk Lawrence Leland Leo Leroy Leslie Lester Lewis Lionel Lloyd Louis Lucas Luther Lyle Malcolm
Marcus Marvin Matthew Maurice Maxwell Melvin Merle Michael Milton Mitchell Morris Murray Neil Nelson Nigel Noel Norman
Orville Oscar Otis Otto Owen Percy Perry Peter Philip Preston Quentin Ralph Randall Raymond Reginald Rex Richard
Robert Rodney Roland Ronald Roscoe Ross Rowan Roy Rudolph Rufus Russell Seth Shane Sidney Simon Spencer Stephen Stewart
Sylvester Terence Thomas Timothy Tobias Todd Tony Travis Tyler Vernon Victor Vincent Wallace Warren Wesley Wilbur
Wilfred Willard Winston
"""
_SURNAMES = """
Abbott Ackerman Adair Alcott Aldridge Alford Ames Anders Applegate Archer Armitage Atwater Avery Babcock Bagley Bancroft
Barclay Barnaby Barrett Bascombe Bassett Baxter Beecham Belden Bellamy Benson Bentley Berwick Bickford Birchall Bixby
Blackwood Blakely Bolton Bosworth Bowden Bracken Bradshaw Braithwaite Brewster Bridger Brigham Bristow Bromley Buckner
Burbank Burgess Burnham Burrows Calloway Camden Carlisle Carmody Carver Cavanaugh Chadwick Chandler Chilton Claxton
Clayborne Cobham Colby Coleridge Collingwood Colton Conway Corbett Cranston Crawford Cromwell Crosby Culpepper Dalton
Danforth Darnell Davenport Delaney Denholm Denton Devereaux Dickens Dillard Donovan Dorset Drayton Drummond Dunbar
Durant Easton Eddington Ellery Elmore Emerson Endicott Everly Ewing Fairchild Farnham Farrell Faulkner Fenwick
Ferguson Fielding Finch Fiske Fleming Forsyth Fulton Gaines Galloway Garfield Garrison Gibbons Gilmore Goddard
Goodwin Gorham Grafton Granger Gresham Griffith Haddock Halloran Hammond Hanley Harkness Harmon Harwood Hastings
Hathaway Hawthorne Heywood Higgins Hobart Holbrook Holden Holloway Hopkins Horton Hubbard Huntley Huxley Ingalls
Ingram Irwin Jarvis Jennings Jessup Keating Keaton Kendall Kenyon Kessler Kimball Kirkland Lambert Langford Langley
Larkin Lathrop Latimer Ledger Leighton Lindley Linwood Lombard Loomis Lowell Ludlow Lyman Maddox Mallory Manning
Marchbanks Mather Maynard Mayfield Mercer Merrick Middleton Milford Millard Monroe Montague Mortimer Mulligan Nash
Newcomb Norcross Norwood Nugent Oakley Ogden Orchard Osgood Paget Parrish Patton Paxton Peabody Pendleton Penrose
Perkins Pickett Pinkney Plimpton Prescott Preston Putnam Quimby Quincy Radcliffe Ramsey Randolph Ravenel Redmond
Remington Renshaw Rickman Ridgeway Ripley Rockwell Roper Rutledge Sanborn Satterfield Sawyer Sedgwick Selby Seward
Sheffield Shelby Sherwood Shipley Simmons Somers Spalding Stafford Stockton Stoddard Sutton Sykes Talbot Tanner
Templeton Thatcher Thornton Thurston Tolliver Townsend Tremont Tuttle Underhill Upton Vance Varney Vickers Wadsworth
Wakefield Walcott Waldron Warrick Weatherby Webster Wendell Wetherall Wharton Wheaton Whitaker Whitlock Wickham Wilcox
Wilder Willoughby Winslow Winthrop Woodruff Worthing Wyatt Yardley Yates Yorke Zeller
"""
_TOWNS = """
Brackenford Millhurst Elmswick Dovercrest Pinegate Westering Ravensmoor Cloverdale Hazelbrook Northam Eddlestone
Fernley Grantham Highmere Ironbridge Juniper Kelston Lindenwood Maplewick Norbury Oldbury Pellworth Quarrington
Rosedale Summerton Tillingham Underwood Valecrest Willowby Yarrowdale
"""
_STREETS = """
Birch Cedar Sycamore Hawthorn Poplar Willow Aspen Magnolia Hickory Linden Rowan Beech Spruce Cypress Laurel Holly
Primrose Meadow Orchard Sunset Lakeview Prospect Highland Franklin Jefferson Madison Lincoln Adams
"""
WOMEN = tuple(_WOMEN.split())
MEN = tuple(_MEN.split())
SURNAMES = tuple(_SURNAMES.split())
TOWNS = tuple(_TOWNS.split())
STREETS = tuple(_STREETS.split())
HOSPITALS = ("{} Community Hospital", "{} Medical Center", "{} County Hospital", "{} District Infirmary", "{} Clinic")
