"""Patterns of what announces a name in Latin script."""

from anonymize.recognizers.base import SHAPED, over_bytes

_CAP = r"[A-Z\xC0][A-Za-z\xC0\xE0'-]*\.?"
_NAME = rf"({_CAP}(?: (?:{_CAP}|de|da|van|von|der|den|del|la|bin|al|el|y)){{0,4}})"
_WORD = r"([A-Za-z\xC0\xE0][A-Za-z\xC0\xE0'-]+(?: [A-Za-z\xC0\xE0][A-Za-z\xC0\xE0'.-]*){0,3})"

TITLED = over_bytes(
    rf"(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Professor|Rev|Judge|Officer|Nurse|Coach|Aunt|Uncle|Sister|Principal|Sgt|Lt|"
    rf"Capt)\.? {_NAME}"
)
STATED = over_bytes(
    rf"(?i:my (?:full |real |first |last |given |legal )?name(?: is|'s|:)|name is|names? (?:was|were)|"
    rf"under the name(?: of)?|"
    rf"account name:?|account\? user:|signed,?|yours truly,?|contact(?: person)?:?|attn:?|attention:?|c/o|care of|"
    rf"on behalf of|spoke (?:to|with)|met with|talk(?:ed)? to|email(?:ed)? from|written by|regards to|say hi to|"
    rf"cc:?|from:|to:|author:|by:|directed by:|account:|last name\?) {{1,4}}{_NAME}"
)
# Who is paid: behind these words even a name of two words is one.
PAYEE = over_bytes(
    rf"(?i:\b(?:payee|payer|beneficiary|addressee|remitter|account holder)(?: name)?(?: is|:)?) {{1,4}}{_NAME}"
)
INTRODUCED = over_bytes(
    r"(?i:\b(?:i'm|i am|im|my name is|my name's|this is|call me|it's me,?|"
    r"i,) )([A-Z\xC0][A-Za-z\xC0\xE0'-]+(?: [A-Z\xC0][A-Za-z\xC0\xE0'.-]*){0,3})"
)
ONE = over_bytes(
    r"\b([A-Z\xC0][A-Za-z\xC0\xE0'-]{1,20}?)(?: (?:said|told|asked|shouted|replied|whispered|texted|emailed|smiled|"
    r"nodded|laughed|lives|invited|"
    r"complained|is from|was born|had given|is my|insists|yelled|wants me|messaged)\b|'s (?:handwriting|birthday|"
    r"wife|husband|kid|kids|son|daughter|mom|"
    r"dad|mother|father|house|phone|email|number|boss|killers|brother|sister|friend|funeral|wedding|party)\b|"
    r", (?:can|could|please|would you|are you) )"
)
LOWER_STATED = over_bytes(
    rf"(?i)(?:my name is|my name's|i am called|people call me|call me|her name is|his name is|their name is|"
    rf"name's) {_WORD}"
)
BRACKETED = over_bytes(
    r"(?i:\b(?:he|she|him|her|me|i|they|wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|dad|"
    r"brother|sister|son|"
    r"daughter|friend|roommate|flatmate|boss|manager|colleague|cousin|"
    r"landlord) \()([A-Z\xC0][a-z\xE0'-]{1,20}(?: [A-Z\xC0][a-z\xE0'-]{1,20})?)\)"
)
IT_IS = over_bytes(
    r"(?i:\b(?:hey|hi|hello)[,!]? (?:it's|its|this is|here is) )([A-Z\xC0][a-z\xE0'-]{1,20})(?: (?i:here|again|"
    r"from|and|in|at)\b| ?[^A-Za-z\xC0\xE0 ]|$)"
)
THAT = over_bytes(
    r"\b(?i:that|mention|because|when|while|since|where|if|but|so) ([A-Z\xC0][a-z\xE0]{1,20}) (?:finished|joined|"
    r"called|texted|won|wants|wanted|likes|loves|hates|"
    r"said|says|told|asked|thinks|thought|got|gets|forgot|lost|broke|moved|lives|works|turned|turns|passed|died|"
    r"left|came|went|ran|helped|gave)\b"
)
KIN = over_bytes(
    r"(?i:(?:my|his|her|our|their|your)(?: \w+)? (?:wife|husband|spouse|partner|fianc[e\xE0]e?|girlfriend|"
    r"boyfriend|ex|mother|mom|mum|father|dad|"
    r"brother|sister|son|daughter|kid|child|baby|twin|cousin|uncle|aunt|grandma|grandpa|grandmother|grandfather|"
    r"nephew|niece|friend|"
    r"bestie|roommate|flatmate|neighbou?r|boss|manager|supervisor|coworker|co-worker|colleague|teammate|mentor|"
    r"student|teacher|tutor|"
    r"landlord|landlady|tenant|client|doctor|dentist|therapist|lawyer|nanny|assistant|crush|stepdad|stepmom|godson|"
    r"fiance))"
    rf"(?:'s name is|,| is| called| named|:)? {_NAME}"
)
FIELD = over_bytes(
    r"(?im)(?:^|[\s|*\"'{,(>-])(?:full |first |last |given |family |sur|maiden |middle |customer |patient |client |"
    r"contact |account |user |"
    r"employee |student |applicant |cardholder |card holder |holder |recipient |sender |parent |guest |author |"
    r"tenant |landlord |billing )?"
    r"(?:name|surname|patient|applicant|tenant|landlord|cardholder|recipient|contact|attn|first|last|signed|pt|"
    r"employee|beneficiary)"
    r"(?:\*\*)?[\"']? ?[:=](?:\*\*)? {0,8}[\"']?([A-Za-z\xC0\xE0][A-Za-z\xC0\xE0'.-]*"
    r"(?:,? [A-Za-z\xC0\xE0][A-Za-z\xC0\xE0'.-]*){0,4})"
)
GREETING = over_bytes(
    rf"(?m)(?:^|[\"(\n]|\. )(?i:hi|hello|hey|dear|good morning|good afternoon|good evening|thanks|thank you|"
    rf"congratulations|happy birthday)(?: again)?,? {_NAME}(?:[,!.:\x80-]|\s*$)"
)
SIGNED = over_bytes(
    rf"(?i:regards|best|best wishes|sincerely|thanks|thank you|cheers|yours|love|respectfully|warmly|cordially|xo|"
    rf"many thanks|all the best)"
    rf"[ A-Za-z\xC0\xE0]{{0,20}}[,.!]?\s{{0,3}}\n\s{{0,4}}(?:[~*\x80-]{{0,3}} ?)?{_NAME}\s{{0,3}}(?:\n|$|\[|<|\|)"
)
_L = r"A-Za-z\xC0\xE0"
WITH_GIVEN = over_bytes(rf"(?:^|[^{_L}0-9_@./#-])([A-Z\xC0][{_L}'-]+(?: (?:[A-Z\xC0][{_L}'-]+|[A-Z\xC0]\.?)){{0,3}})")
# Two capitalised words or more, none of them known, before or after what people do or have.
_SEVERAL = rf"([A-Z\xC0][{_L}'-]+(?: (?:[A-Z\xC0][{_L}'-]+|[A-Z\xC0]\.?|ten|van|von|de|da|del|der|bin|al)){{1,4}})"
DOES = over_bytes(
    rf"{_SEVERAL}(?:'s|,? (?:is|was|has|had|will|would|says?|said|told|asks?|asked|lives?|lived|works?|worked|"
    rf"wrote|writes|calls?|called|shouted|"
    r"replied|explained|listed|from|spent|gave|sent|joined|moved|wants?|thinks?|likes?|loves?|went|came|met|left|"
    r"needs|just|and I|who|aged|born|"
    r"cannot|can't|didn't|doesn't|won't|can|could|should|may|never|always|also))\b"
)
DONE_TO = over_bytes(
    r"(?i:\b(?:by|with|under|to|add|for|from|via|cc|and|producer|singer|songwriter|artist|actor|author|director|"
    r"designer|photographer|tell|told|ask|asked|"
    r"meet|met|call|called|invite|remove|contact|wife|husband|friend|between|about|of|is|was|named|a|the)"
    rf" {{1,3}}){_SEVERAL}"
)
LINE = over_bytes(rf"(?m)^[> ]{{0,3}}{_SEVERAL}[ ,]*$")
_LOWER = r"([a-z][a-z'-]{2,14})"
LOWER_KIN = over_bytes(
    r"(?i:\b(?:my|his|her|our|their) (?:\w+ )?(?:wife|husband|partner|girlfriend|boyfriend|mother|mom|mum|father|"
    r"dad|brother|sister|son|daughter|cousin|"
    rf"friend|roommate|boss|manager|coworker|colleague|teacher|landlord|neighbor|neighbour|uncle|aunt)(?: named|"
    rf" called|,| is)?) {_LOWER}\b"
)
LOWER_TOLD = over_bytes(
    rf"(?:^|[^{_L}0-9_@./#-])(?:(?i:with|to|from|told|asked|tell|ask|between|called|meet|met|call|text|texted|"
    rf"email|under|leave|and|me|of|hi|dear|hey|is|that|now|basically),? )?"
    rf"([a-z][a-z'-]{{3,14}}(?: [a-z'-]{{4,15}})?)(?: (?:told|said|says|asked|likes|loves|hates|lives|is mad|"
    rf"was mad|thinks|wants|in a couple|won't|called|texted|and|has been|in|on|four)|'s|,|\.|\?|!|$)"
)
LOWER_TITLED = over_bytes(rf"(?i:\b(?:mr|mrs|ms|dr|prof)\.? ){_LOWER}\b")
NAMED_AS = over_bytes(
    rf"(?i:\b(?:surname|given names?|first name|last name|family name|maiden name|full name|nickname)(?: is|:|"
    rf",)? )([A-Z\xC0][{_L}'-]+(?: [A-Z\xC0][{_L}'-]+){{0,3}})"
)
# A family name with the mark of a clan behind any other capitalised word.
CLAN = over_bytes(rf"(?:^|[^{_L}0-9_@./#-])([A-Z\xC0][a-z\xE0'-]{{1,20}} O'[A-Z][a-z\xE0]{{2,20}})")
# A given name of two syllables before a family name, as from Korean or Chinese.
SYLLABLES = over_bytes(
    r"(?:^|[^A-Za-z\xC0\xE00-9_@./#-])([A-Z][a-z]{1,7}-[a-z]{1,7} [A-Z][a-z]{1,14}|[A-Z]{2,8}-[A-Z]{2,8} [A-Z]{2,15})"
)
RULES = (
    (CLAN, SHAPED - 0.15),
    (TITLED, SHAPED),
    (STATED, SHAPED - 0.1),
    (PAYEE, SHAPED - 0.1),
    (INTRODUCED, SHAPED - 0.1),
    (ONE, SHAPED - 0.15),
    (BRACKETED, SHAPED - 0.15),
    (IT_IS, SHAPED - 0.15),
    (THAT, SHAPED - 0.2),
    (LOWER_STATED, SHAPED - 0.05),
    (KIN, SHAPED - 0.1),
    (FIELD, SHAPED - 0.02),
    (GREETING, SHAPED - 0.1),
    (SIGNED, SHAPED - 0.1),
    (NAMED_AS, SHAPED - 0.1),
)
SURE = (CLAN, PAYEE, TITLED, KIN, FIELD, GREETING, NAMED_AS, INTRODUCED, ONE)
