import type { Language } from '#contract/codes.ts'
import type { PaymentStatus } from '#contract/payment.ts'
import type { Paper } from '#contract/papers.ts'

type Words = {
  title: string
  number: string
  /** FIN02. */
  notice: string
  name: string
  unprintable: string
  appointment: { office: string; address: string; addressUnknown: string; fullDate: string } & Record<
    DatePart,
    string
  >
  generalQueue: string
  payment: { status: string; amount: string; order: string }
  sections: Record<Section, string>
  fields: Record<ReceiptField, string>
  reasons: Record<string, string>
  genders: Record<string, string>
  nicChoices: Record<string, string>
  answers: Record<string, string>
  paymentStatuses: Record<PaymentStatus, string>
  months: readonly string[]
  papersHeading: string
  papers: Record<Paper, string>
  qr: { alt: string; caption: string }
  footer: (help: { phone: string; email: string }) => string
  page: (page: number, pages: number) => string
}

type DatePart = 'year' | 'month' | 'day' | 'time'

/** In the order of FIN04. */
export type Section =
  | 'biographic'
  | 'residence'
  | 'nic'
  | 'passport'
  | 'parents'
  | 'representative'
  | 'appointment'
  | 'payment'

/** The rows that come from the form; the three parts of a date of birth are one row. */
export type ReceiptField =
  | 'reason'
  | 'travelDestination'
  | 'reasonForTravel'
  | 'surname'
  | 'givenName'
  | 'gender'
  | 'dateOfBirth'
  | 'placeOfBirth'
  | 'regionCode'
  | 'departmentCode'
  | 'localityId'
  | 'city'
  | 'occupation'
  | 'phoneNumber'
  | 'email'
  | 'resAddressCountry'
  | 'resAddressRegionCode'
  | 'resAddressDepartmentCode'
  | 'resAddressLocalityId'
  | 'resAddressCity'
  | 'resAddressStreet'
  | 'selectNic'
  | 'nicNumber'
  | 'nicDateOfIssuance'
  | 'nicDateOfExpiry'
  | 'nicPlaceOfIssuance'
  | 'eppNumber'
  | 'eppDateOfIssuance'
  | 'motherSurname'
  | 'motherGivenName'
  | 'fatherSurname'
  | 'fatherGivenName'
  | 'addReprData'
  | 'reprSurname'
  | 'reprGivenName'
  | 'reprGender'
  | 'reprDateOfBirth'
  | 'reprPlaceOfBirth'
  | 'reprRegionCode'
  | 'reprDepartmentCode'
  | 'reprLocalityId'
  | 'reprCity'
  | 'reprCountryOfResidence'
  | 'reprOccupation'
  | 'reprNicNumber'
  | 'reprNicDateOfIssuance'
  | 'reprNicDateOfExpiry'
  | 'reprNicPlaceOfIssuance'

/** What a receipt says, with the labels of the screens: a reader compares the two. */
export const receiptWords = {
  fr: {
    title: 'Récépissé de préinscription au passeport',
    number: 'Numéro de demande',
    notice: 'Ce récépissé doit être imprimé et présenté au bureau d’enrôlement',
    name: 'Nom et prénoms',
    unprintable:
      '□ : caractère que cette feuille ne peut pas imprimer. L’original reste dans la demande et, pour le nom, dans le code à scanner.',
    appointment: {
      office: 'Bureau',
      address: 'Adresse',
      addressUnknown: 'Adresse à confirmer auprès du bureau',
      year: 'Année',
      month: 'Mois',
      day: 'Jour',
      fullDate: 'Date',
      time: 'Heure',
    },
    generalQueue: 'File d’attente générale',
    payment: { status: 'État', amount: 'Montant et devise', order: 'Numéro de paiement' },
    sections: {
      biographic: 'Données biographiques',
      residence: 'Adresse de résidence',
      nic: 'Données de la CNI',
      passport: 'Passeport précédent',
      parents: 'Données des parents',
      representative: 'Données du représentant',
      appointment: 'Rendez-vous',
      payment: 'Paiement',
    },
    fields: {
      reason: 'Motif de la demande',
      travelDestination: 'Destination du voyage',
      reasonForTravel: 'Motif du voyage',
      surname: 'Nom',
      givenName: 'Prénoms',
      gender: 'Sexe',
      dateOfBirth: 'Date de naissance',
      placeOfBirth: 'Pays de naissance',
      regionCode: 'Région de naissance',
      departmentCode: 'Département de naissance',
      localityId: 'Localité de naissance',
      city: 'Ville de naissance',
      occupation: 'Profession',
      phoneNumber: 'Numéro de téléphone',
      email: 'Adresse e-mail',
      resAddressCountry: 'Pays de résidence',
      resAddressRegionCode: 'Région de résidence',
      resAddressDepartmentCode: 'Département de résidence',
      resAddressLocalityId: 'Localité de résidence',
      resAddressCity: 'Ville de résidence',
      resAddressStreet: 'Rue ou quartier',
      selectNic: 'Carte nationale d’identité (CNI)',
      nicNumber: 'Numéro de la CNI',
      nicDateOfIssuance: 'Date de délivrance de la CNI',
      nicDateOfExpiry: 'Date d’expiration de la CNI',
      nicPlaceOfIssuance: 'Lieu de délivrance de la CNI',
      eppNumber: 'Numéro du passeport précédent',
      eppDateOfIssuance: 'Date de délivrance du passeport précédent',
      motherSurname: 'Nom de la mère',
      motherGivenName: 'Prénoms de la mère',
      fatherSurname: 'Nom du père',
      fatherGivenName: 'Prénoms du père',
      addReprData: 'Ajouter un représentant légal ?',
      reprSurname: 'Nom du représentant',
      reprGivenName: 'Prénoms du représentant',
      reprGender: 'Sexe du représentant',
      reprDateOfBirth: 'Date de naissance du représentant',
      reprPlaceOfBirth: 'Pays de naissance du représentant',
      reprRegionCode: 'Région de naissance du représentant',
      reprDepartmentCode: 'Département de naissance du représentant',
      reprLocalityId: 'Localité de naissance du représentant',
      reprCity: 'Ville de naissance du représentant',
      reprCountryOfResidence: 'Pays de résidence du représentant',
      reprOccupation: 'Profession du représentant',
      reprNicNumber: 'Numéro de CNI du représentant',
      reprNicDateOfIssuance: 'Date de délivrance de la CNI du représentant',
      reprNicDateOfExpiry: 'Date d’expiration de la CNI du représentant',
      reprNicPlaceOfIssuance: 'Lieu de délivrance de la CNI du représentant',
    },
    reasons: {
      11211: 'Premier passeport',
      11212: 'Expiration',
      11214: 'Passeport perdu',
      11280: 'Passeport volé',
      11281: 'Détérioration',
      11282: 'Changement de filiation',
      11283: 'Changement de nom',
      11284: 'Correction',
      11285: 'Pages de visa épuisées',
      11286: 'Passeport supplémentaire',
    },
    genders: { 11216: 'Masculin', 11217: 'Féminin' },
    nicChoices: { 1: 'Aucune', 2: 'Nouvelle CNI', 3: 'Ancienne CNI' },
    answers: { YES: 'Oui', NO: 'Non' },
    paymentStatuses: {
      ERROR: 'Échec du paiement',
      IN_PROGRESS: 'Paiement en cours',
      SUCCESS: 'Paiement réussi',
    },
    months: [
      'janvier',
      'février',
      'mars',
      'avril',
      'mai',
      'juin',
      'juillet',
      'août',
      'septembre',
      'octobre',
      'novembre',
      'décembre',
    ],
    papersHeading: 'À apporter au rendez-vous',
    papers: {
      receipt: 'Le récépissé imprimé',
      birthCertificate: 'Acte de naissance : original et copie certifiée conforme',
      identityCard: 'Carte nationale d’identité : original et copie certifiée conforme',
      identityCardMissing:
        'Carte nationale d’identité : vous avez répondu n’en avoir aucune ; demandez au bureau ce qu’il accepte à la place',
      emancipationProof:
        'Seulement si le mineur est émancipé, par exemple par le mariage : la preuve de l’émancipation ; demandez au bureau si elle remplace l’autorisation parentale',
      occupationProof: 'Justificatif de la profession, s’il y en a une',
      parentalConsent:
        'Autorisation parentale d’un parent, du tuteur légal ou d’une personne munie d’une procuration légalisée',
      parentIdentityCard: 'Carte nationale d’identité de la personne qui autorise : copie certifiée conforme',
      marriageCertificate:
        'Seulement si vous êtes mariée : acte de mariage, pour porter le nom de votre mari',
      previousPassport: 'Passeport précédent',
      lossCertificate: 'Certificat de perte du passeport',
      theftReport: 'Déclaration de vol et procès-verbal de police',
      damageDeclaration: 'Déclaration de détérioration',
      civilStatusProof: 'Pièce ou jugement d’état civil qui établit le changement ou la correction',
      consularCard: 'Carte consulaire',
      residencePermit: 'Titre de séjour',
    },
    qr: {
      alt: 'Code QR signé qui contient le numéro de demande',
      caption: 'Code à scanner au guichet. Il est signé : toute copie modifiée est refusée.',
    },
    footer: ({ phone, email }) =>
      `Police : ${phone} · ${email} · Aucun agent ne demande d’argent par message.`,
    page: (page, pages) => `page ${page}/${pages}`,
  },
  en: {
    title: 'Passport pre-enrolment receipt',
    number: 'Application number',
    notice: 'This receipt must be printed and presented in the enrolment office',
    name: 'Surname and given names',
    unprintable:
      '□: a character that this sheet cannot print. The original stays in the application and, for the name, in the code to scan.',
    appointment: {
      office: 'Office',
      address: 'Address',
      addressUnknown: 'Address to be confirmed with the office',
      year: 'Year',
      month: 'Month',
      day: 'Date',
      fullDate: 'Date',
      time: 'Time',
    },
    generalQueue: 'General queue',
    payment: { status: 'Status', amount: 'Amount and currency', order: 'Payment number' },
    sections: {
      biographic: 'Biographic data',
      residence: 'Residential address',
      nic: 'NIC data',
      passport: 'Previous passport',
      parents: 'Parent data',
      representative: 'Representative data',
      appointment: 'Appointment',
      payment: 'Payment',
    },
    fields: {
      reason: 'Reason for the application',
      travelDestination: 'Travel destination',
      reasonForTravel: 'Reason for travel',
      surname: 'Surname',
      givenName: 'Given names',
      gender: 'Gender',
      dateOfBirth: 'Date of birth',
      placeOfBirth: 'Country of birth',
      regionCode: 'Region of birth',
      departmentCode: 'Department of birth',
      localityId: 'Locality of birth',
      city: 'City of birth',
      occupation: 'Occupation',
      phoneNumber: 'Phone number',
      email: 'E-mail address',
      resAddressCountry: 'Country of residence',
      resAddressRegionCode: 'Region of residence',
      resAddressDepartmentCode: 'Department of residence',
      resAddressLocalityId: 'Locality of residence',
      resAddressCity: 'City of residence',
      resAddressStreet: 'Street or quarter',
      selectNic: 'National identity card (NIC)',
      nicNumber: 'NIC number',
      nicDateOfIssuance: 'NIC date of issuance',
      nicDateOfExpiry: 'NIC date of expiry',
      nicPlaceOfIssuance: 'NIC place of issuance',
      eppNumber: 'Previous passport number',
      eppDateOfIssuance: 'Previous passport date of issuance',
      motherSurname: "Mother's surname",
      motherGivenName: "Mother's given names",
      fatherSurname: "Father's surname",
      fatherGivenName: "Father's given names",
      addReprData: 'Add a legal representative?',
      reprSurname: "Representative's surname",
      reprGivenName: "Representative's given names",
      reprGender: "Representative's gender",
      reprDateOfBirth: "Representative's date of birth",
      reprPlaceOfBirth: "Representative's country of birth",
      reprRegionCode: "Representative's region of birth",
      reprDepartmentCode: "Representative's department of birth",
      reprLocalityId: "Representative's locality of birth",
      reprCity: "Representative's city of birth",
      reprCountryOfResidence: "Representative's country of residence",
      reprOccupation: "Representative's occupation",
      reprNicNumber: "Representative's NIC number",
      reprNicDateOfIssuance: "Representative's NIC date of issuance",
      reprNicDateOfExpiry: "Representative's NIC date of expiry",
      reprNicPlaceOfIssuance: "Representative's NIC place of issuance",
    },
    reasons: {
      11211: 'First passport',
      11212: 'Expiry',
      11214: 'Passport lost',
      11280: 'Passport stolen',
      11281: 'Deterioration',
      11282: 'Change of parentage',
      11283: 'Name change',
      11284: 'Correction',
      11285: 'Visa pages full',
      11286: 'Additional passport',
    },
    genders: { 11216: 'Male', 11217: 'Female' },
    nicChoices: { 1: 'none', 2: 'New NIC', 3: 'Old NIC' },
    answers: { YES: 'Yes', NO: 'No' },
    paymentStatuses: {
      ERROR: 'Payment failed',
      IN_PROGRESS: 'Payment in progress',
      SUCCESS: 'Payment successful',
    },
    months: [
      'January',
      'February',
      'March',
      'April',
      'May',
      'June',
      'July',
      'August',
      'September',
      'October',
      'November',
      'December',
    ],
    papersHeading: 'To bring to the appointment',
    papers: {
      receipt: 'The receipt, printed',
      birthCertificate: 'Birth certificate: original and certified copy',
      identityCard: 'National identity card: original and certified copy',
      identityCardMissing:
        'National identity card: you answered that you have none; ask the office what it accepts instead',
      emancipationProof:
        'Only if the minor is emancipated, by marriage for instance: proof of it; ask the office whether it replaces the parental authorisation',
      occupationProof: 'Proof of occupation, if any',
      parentalConsent:
        'Parental authorisation by a parent, the legal guardian or a person with a legalised proxy',
      parentIdentityCard: 'National identity card of the person who authorises: certified copy',
      marriageCertificate: 'Only if you are married: marriage certificate, to carry your husband’s name',
      previousPassport: 'Previous passport',
      lossCertificate: 'Certificate of loss of the passport',
      theftReport: 'Declaration of theft and police report',
      damageDeclaration: 'Declaration of deterioration',
      civilStatusProof: 'Civil-status document or judgment that proves the change or correction',
      consularCard: 'Consular card',
      residencePermit: 'Residence permit',
    },
    qr: {
      alt: 'Signed QR code that holds the application number',
      caption: 'Code to scan at the counter. It is signed: any altered copy is refused.',
    },
    footer: ({ phone, email }) => `Police: ${phone} · ${email} · No official asks for money by message.`,
    page: (page, pages) => `page ${page}/${pages}`,
  },
} as const satisfies Record<Language, Words>
