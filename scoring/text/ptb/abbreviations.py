"""Words that the lexer knows by name.

Every list was checked word by word against the program (Stanford PTBTokenizer 3.4.1).
"""

# A stop after these belongs to them, whatever follows.
TITLES = (
    "adj adm adv alex assoc asst atty attys ave brig capt cf cie cmdr col comdr cpl dept det dr "
    "drs elec ens ft gen gov govs hon insp invt jos lieut lt maj messrs mlle mme mr mrs ms "
    "msgr mt natl pfc ph pres prof profs pvt rep reps rev sen sens sfc sgt spc st ste supt supts "
    "treas vs wm"
)

# A stop after these belongs to them; before a new sentence it also counts as a full stop.
COMMON = (
    "al ala apr ariz assn aug bancorp bhd bldg blvd bros calif co colo conn corp cos ct dak dec "
    "esq est etc ext feb fla fri ga inc ind intl jan jr jul jun kan kans ky ltd mar md mich minn "
    "mo mon mont neb nev nov oct okla penn plc rd rt sep sept seq sq sr sys tel tenn thu thurs tue "
    "tues univ va vt wed wis wisc wyo"
)
# As above, but only with a capital, for without one they are ordinary words.
CAPITALISED = "Ark Az Del Ill La Mass Miss Ore Pa Tex Wash"

# A stop after these belongs to them only before a number.
BEFORE_NUMBERS = "art bldg ca fig figs no nos op pp prop"

# After an acronym, these start a new sentence.
SENTENCE_OPENERS = (
    "A About According Additionally After An As At But Earlier He Her Here However If In It Last "
    "Many More Now Once One Other Our She Since So Some Such That The Their Then There These They "
    "This We What When While Yet You"
)

FILE_EXTENSIONS = (
    "bat bmp c cgi class cpp dll doc docx exe gif gz h htm html jar java jpeg jpg mov mp3 pdf php "
    "pl png ppt ps py sql tar txt wav x xml zip"
)


def any_of(words: str) -> str:
    """Write a list as options of a rule, either case."""
    return "|".join(words.split())


def any_capitalised(words: str) -> str:
    """Write a list as options of a rule, with the first letter a capital."""
    return "|".join(f"[{word[0]}]{word[1:]}" for word in words.split())
