"""Named parts and word lists that token rules are built from, in the notation of `pattern`."""

from collections.abc import Mapping

from earmark.text.ptb.pattern import Pattern, read_pattern

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


PARTS: tuple[tuple[str, str], ...] = (
    # Blanks and ends of lines.
    ("blank", r"[\u0020\t\u00A0\u2000-\u200A\u3000]"),
    ("newline", r"\r|\r?\n|[\u2028\u2029\u000B\u000C\u0085]"),
    ("gap", r"{blank}|{newline}"),
    # Letters and digits.
    ("digit", r"\D|[\u07C0-\u07C9]"),
    ("entity_letter", r"&[aeiouAEIOU](acute|grave|uml);"),
    (
        "mark",
        # The marks of Unicode 6.0 that the lexer takes for letters, with the soft hyphen.
        (
            r"[\u00AD\u02C2-\u02C5\u02D2-\u02DF\u02E5-\u02EB\u02ED\u02EF-\u036F\u0375\u0378\u0379\u0384"
            r"\u0385\u03F6\u0483-\u0487\u055A-\u055F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7"
            r"\u0615-\u061A\u064B-\u065E\u0670\u06D6-\u06E4\u06E7-\u06ED\u06FD\u06FE\u070F\u0711"
            r"\u0730-\u074C\u07A6-\u07B0\u07EB-\u07F3\u0900-\u0903\u093C\u093E-\u094E\u0951-\u0955"
            r"\u0962\u0963\u0981-\u0983\u09BC\u09BE-\u09C4\u09C7\u09C8\u09CB-\u09CD\u09D7\u09E2\u09E3"
            r"\u0A01-\u0A03\u0A3C\u0A3E-\u0A4F\u0A81-\u0A83\u0ABC\u0ABE-\u0ACF\u0B82\u0BBE-\u0BC2"
            r"\u0BC6-\u0BC8\u0BCA-\u0BCD\u0C01-\u0C03\u0C3E-\u0C56\u0D3E-\u0D44\u0D46-\u0D48\u0E31"
            r"\u0E34-\u0E3A\u0E47-\u0E4E\u0EB1\u0EB4-\u0EBC\u0EC8-\u0ECD]"
        ),
    ),
    ("letter", r"\L|{entity_letter}|{mark}"),
    ("capital", r"\U"),
    ("alnum", r"{letter}|{digit}"),
    ("plain", r"\L|\D"),
    ("word", r"{letter}{alnum}*([.!?]{letter}{alnum}*)*"),
    ("apostrophe", r"['\u0092\u2019]|&apos;"),
    ("quote_like", r"{apostrophe}|[`\u0091\u2018\u201B]"),
    # Markup.
    ("name", r"[A-Za-z][A-Za-z0-9_:.-]*"),
    ("attribute", r"""[A-Za-z][A-Za-z0-9_:.-]*(\u0020*=\u0020*("[^"]*"|'[^']*'))?"""),
    (
        "tag",
        r"<([!?][A-Za-z-][^>\r\n]*|{name}(\u0020+{attribute})*\u0020*/?|/{name}\u0020*)\u0020*>",
    ),
    # Contractions.
    ("auxiliary", r"{apostrophe}([msdMSD]|re|ve|ll)"),
    ("negated", r"[A-Za-z\u00AD]*[A-MO-Za-mo-z]\u00AD*"),
    ("negation", r"n({quote_like})t"),
    (
        "elided",
        r"""{apostrophe}n{apostrophe}? | [lLdDjJ]{apostrophe} | Dunkin{apostrophe}
        | somethin{apostrophe} | ol{apostrophe} | {apostrophe}em | C'mon
        | {apostrophe}[2-9]0s | {apostrophe}till? | o'clock
        | ([A-HJ-XZn]({quote_like})\L{2} | \L+[aeiouyAEIOUY]({quote_like})[aeiouA-Z])\L*
        | {apostrophe}cause | cont'd\.? | nor'easter | o({quote_like})o | s'mores | ev'ry | li'l
        | nat'l | e'er""",
    ),
    # Numbers.
    ("number", r"{digit}+|{digit}*([.:,\u00AD\u066B\u066C]{digit}+)+"),
    ("date", r"{digit}{1,2}[\-/]{digit}{1,2}[\-/]{digit}{2,4}"),
    ("fraction", r"({digit}{1,4}[-\u0020\u00A0])?{digit}{1,4}(\\?/|\u2044){digit}{1,4}"),
    (
        "phone",
        r"""(\([0-9]{2,3}\)[\u0020\u00A0]?|(\+\+?)?([0-9]{2,4}[-\u0020\u00A0])?[0-9]{2,4}
        [-\u0020\u00A0])[0-9]{3,4}[-\u0020\u00A0]?[0-9]{3,5}
        |((\+\+?)?[0-9]{2,4}\.)?[0-9]{2,4}\.[0-9]{3,4}\.[0-9]{3,5}""",
    ),
    # Addresses.
    ("url_end", r"""[^\u0020\t\n\f\r"<>|.!?(){},-]"""),
    ("url_inner", r"""[^\u0020\t\n\f\r"<>|(){}]"""),
    ("path_inner", r"""[^\u0020\t\n\f\r"<>|()]"""),
    ("url", r"https?://{url_inner}+{url_end}"),
    (
        "site",
        r"""((www\.([^\u0020\t\n\f\r"<>|.!?(){},]+\.)+[a-zA-Z]{2,4})
        |(([^\u0020\t\n\f\r"`'<>|.!?(){},-_$]+\.)+(com|net|org|edu)))(/{path_inner}+{url_end})?""",
    ),
    (
        "email",
        r"""(&lt;|<)?[a-zA-Z0-9][^\u0020\t\n\f\r"<>|(){}\u00A0]*@
        ([^\u0020\t\n\f\r"<>|(){}.\u00A0]+\.)*[^\u0020\t\n\f\r"<>|(){}.\u00A0]+(&gt;|>)?""",
    ),
    ("file", rf"{{alnum}}+([.]{{alnum}}+)*[.]({any_of(FILE_EXTENSIONS)})"),
    # Acronyms and abbreviations.
    (
        "acronym",
        r"""[A-Za-z](\.[A-Za-z])* | (Canada|Sino|Korean|EU|Japan|non)-U\.S
        | U\.S\.-(U\.K|U\.S\.S\.R)""",
    ),
    (
        "dotted",
        r"""[A-Za-z](\.[A-Za-z])+ | (Canada|Sino|Korean|EU|Japan|non)-U\.S
        | U\.S\.-(U\.K|U\.S\.S\.R)""",
    ),
    (
        "thing",
        r"""([dDoOlL]({quote_like}){plain})?{plain}+
        ([-_\u058A\u2010\u2011]([dDoOlL]({quote_like}){plain})?{plain}+)*""",
    ),
    ("title", rf"{any_of(TITLES)}|m[ft]g|[M]iss|a\.k\.a"),
    (
        "common",
        rf"({any_of(COMMON)}|{any_capitalised(CAPITALISED)}|p?pt[ey]s?|(ed|ph)\.d)\.",
    ),
    ("numbered", rf"({any_of(BEFORE_NUMBERS)})\."),
    ("sentence_end", r"{gap}({gap}|{capital}|{tag})"),
    # Words joined by hyphens, slashes and ampersands.
    ("joined", r"[A-Za-z0-9][A-Za-z0-9.,\u00AD]*(-([A-Za-z0-9\u00AD]+|{dotted}\.))+"),
    ("ampersands", r"[A-Z]+(([+&]|&amp;)[A-Z]+)+"),
    ("slashed", r"[A-Za-z0-9]+(-[A-Za-z]+){0,2}(\\?/[A-Za-z0-9]+(-[A-Za-z]+){0,2}){1,2}"),
    ("dollar", r"[A-Z]*\$|\#"),
    ("coin", r"[\u00A2-\u00A5\u0080\u20A0\u20AC\u060B\u0E3F\u20A4\uFFE0\uFFE1\uFFE5\uFFE6]"),
    # Faces.
    ("smiley", r"[<>]?[:;=][\-o*']?[()DPdpO\\{@|\[\]]"),
    (
        "asian_smiley",
        # The first option is an oddity of the program that nobody will write.
        r"""[\^x=~<>]\.\[\^x=[^<]*<>\] | [\-\^x=~<>']_[\-\^x=~<>']
        | \([\-\^x=~<>'][_.]?[\-\^x=~<>']\) | \([\^x=~<>']-[\^x=~<>'`]\)""",
    ),
)


def read_parts() -> Mapping[str, Pattern]:
    """Read the named parts; each may use those before it."""
    named: dict[str, Pattern] = {}
    for name, text in PARTS:
        named[name] = read_pattern(text, named)
    return named
