"""Words by which captions report speech."""

from earmark.datasets.findings.words import word_set

SAY_VERBS = word_set(
    """
    say says saying said exclaims exclaiming recites reciting
    """
)
CALL_VERBS = word_set(
    """
    yell yells yelling yelled shout shouts shouting shouted scream screams screaming screamed
    call calls calling called holler hollers hollering whisper whispers whispering mutters
    muttering mumbles mumbling chants chanting begs begging pleads pleading cheers cheering
    replies replying responds responding answers answering repeats repeating
    """
)
DISCUSS_VERBS = word_set(
    """
    discuss discusses discussing discussed mention mentions mentioning mentioned explain
    explains explaining explained describe describes describing described recommends
    recommending demands demanding requests requesting
    """
)
ADDRESS_VERBS = word_set(
    """
    tell tells telling told ask asks asking asked orders ordering instruct instructs instructing
    urges urging warns warning reminds reminding encourages encouraging commands commanding
    inviting invites inquires inquiring wonders wondering
    """
)
SPEECH_WORDS = (
    SAY_VERBS
    | CALL_VERBS
    | DISCUSS_VERBS
    | ADDRESS_VERBS
    | word_set(
        """
    talk talks talking talked speak speaks speaking spoke spoken speech speeches chat chats
    chatting chatted chatter chattering converse converses conversing conversed conversation
    conversations discussion discussions dialogue dialog narrate narrates narrating narrated
    narration narrator narrators commentary commentator commentates commentating comment
    comments commenting lecture lectures lecturing argue argues arguing argument complain
    complains complaining preaches preaching rants ranting story stories joke jokes joking sing
    sings singing sang song songs announcement announcements reports reporting monologue
    instructions words voice voices phrase phrases sentence sentences communicate communicates
    communicating rap raps rapping reads reading presentation presents presenting gossip
    """
    )
)
# Who asks for something wants it of people; animals call for mates.
REQUEST_VERBS = word_set(
    """
    yell yells yelling shout shouts shouting scream screams screaming beg begs begging plead
    pleads pleading ask asks asking asked
    """
)
ABOUT = word_set("about regarding concerning")
# Words of the content by which the words themselves were written down.
FIRST_PERSON = word_set(
    """
    i i'm i'll i've i'd me my mine we we're we'll us our let's you you're your yours please
    """
)
GREETINGS = word_set(
    """
    hello hi hey bye goodbye yes no yeah okay ok wow go stop help look wait please thanks thank
    sorry mama mommy mom mum daddy dad hurray hurrah hooray amen damn cheese fire welcome ready
    usa hallelujah
    """
)
VAGUE = word_set(
    """
    little lot something somethings anything everything nothing things thing stuff word words
    phrase phrases sentence sentences line lines syllable syllables statement statements remark
    remarks comment comments speech it them themselves each others other another someone
    somebody people various different same sounds sound noises
    """
)
# After "about" it is a topic that a person or a thing is: fewer words leave it open.
ABOUT_VAGUE = word_set("something anything everything nothing things stuff it them themselves")
PREPOSITIONS = word_set(
    """
    to in into on onto at with from by for near nearby through over under across before after
    during of off out up down around along behind together back outside inside against
    """
)
# A new clause begins.
CLAUSE_ENDS = word_set(
    """
    and as while whilst then when followed before after during but until with amid amidst near
    nearby over accompanied followed alongside plus
    """
)
# How something is said, between the verb and what is said.
VOICED = word_set("out aloud loud again back over repeatedly then just also twice once")
TIME_WORDS = word_set(
    """
    second seconds minute minutes moment moments while bit time times long several few brief
    short hour hours period duration
    """
)
# Languages with many speakers; each is an adjective, too, so that the words beside it decide.
LANGUAGES = word_set(
    """
    afrikaans albanian amharic arabic armenian bengali bulgarian burmese cantonese catalan
    chinese croatian czech danish dutch english estonian farsi filipino finnish french gaelic
    georgian german greek gujarati hausa hawaiian hebrew hindi hungarian icelandic indonesian
    irish italian japanese kannada kazakh khmer korean kurdish latin latvian lithuanian malay
    malayalam mandarin marathi mongolian nepali norwegian pashto persian polish portuguese
    punjabi quechua romanian russian serbian sinhala slovak slovenian somali spanish swahili
    swedish tagalog tamil telugu thai tibetan turkish ukrainian urdu uzbek vietnamese welsh
    yiddish yoruba zulu
    """
)
# Peoples and parts of the world, which begin with a capital wherever they stand.
NATIONAL = LANGUAGES | word_set(
    """
    african american asian australian austrian belgian brazilian british canadian colombian
    cuban egyptian european indian iranian iraqi israeli jamaican jewish mexican moroccan
    nigerian pakistani peruvian scottish swiss syrian
    """
)
LANGUAGE_HEADS = word_set(
    """
    language languages speech tongue dialect dialects accent accents word words phrase phrases
    lyrics speaking talking conversation song voice voices man woman men women male female males
    females speaker speakers person people announcer singer
    """
)
LANGUAGE_ADJECTIVES = NATIONAL | word_set(
    """
    foreign another other different unknown unfamiliar native strange southern eastern western
    nordic slavic unidentified unidentifiable second indigenous tribal
    """
)
