import { emptyForm, type FormValues } from '#contract/application.ts'

/** Golden applicants: complete, valid forms with realistic answers. */

export const firstPassport: FormValues = {
  ...emptyForm(),
  travelDestination: 'France',
  reasonForTravel: 'Études',
  givenName: 'Éloïse Œdipe',
  surname: 'Ngo Biyong',
  gender: '11217',
  dayOfBirth: '27',
  monthOfBirth: '03',
  yearOfBirth: '1990',
  phoneNumber: '671234567',
  regionCode: 'CENTRE',
  departmentCode: 'MFOUNDI',
  localityId: '2007001',
  resAddressRegionCode: 'LITTORAL',
  resAddressDepartmentCode: 'WOURI',
  resAddressLocalityId: '5004001',
  resAddressStreet: 'Rue 1.234, Bonapriso',
  occupation: '06',
  motherSurname: 'Ngo Mbock',
  motherGivenName: 'Marie-Thérèse',
  fatherSurname: 'Biyong',
  addReprData: 'NO',
  selectNic: '2',
  nicNumber: '110123456789',
  nicPlaceOfIssuance: 'Yaoundé',
  nicDateOfIssuance: '2021-05-10',
  nicDateOfExpiry: '2091-05-10',
}

/** Born abroad and living in Cameroon, only the year of birth known, passport expired, no identity card. */
export const renewalBornAbroad: FormValues = {
  ...firstPassport,
  reason: '11212',
  dateOfBirthUnknown: true,
  dayOfBirth: '',
  monthOfBirth: '',
  yearOfBirth: '1962',
  placeOfBirth: '11037',
  regionCode: '',
  departmentCode: '',
  localityId: '',
  city: 'Marseille',
  occupation: '33',
  otherOccupation: 'Griot',
  selectNic: '1',
  nicNumber: '',
  nicPlaceOfIssuance: '',
  nicDateOfIssuance: '',
  nicDateOfExpiry: '',
  eppNumber: '01234567',
  eppDateOfIssuance: '2016-02-29',
}

/** A child whose legal representative was born in Cameroon and holds an identity card. */
export const minorWithRepresentative: FormValues = {
  ...firstPassport,
  dayOfBirth: '02',
  monthOfBirth: '09',
  yearOfBirth: '2015',
  addReprData: 'YES',
  reprSurname: 'Biyong',
  reprGivenName: 'Samuel',
  reprGender: '11216',
  reprDayOfBirth: '11',
  reprMonthOfBirth: '12',
  reprYearOfBirth: '1984',
  reprPlaceOfBirth: '10998',
  reprCountryOfResidence: '10998',
  reprRegionCode: 'WEST',
  reprDepartmentCode: 'MIFI',
  reprLocalityId: '8006001',
  reprOccupation: '08',
  reprNicNumber: '220987654321',
  reprNicDateOfIssuance: '2020-01-15',
  reprNicDateOfExpiry: '2090-01-15',
  reprNicPlaceOfIssuance: 'Bafoussam',
  selectNic: '1',
  nicNumber: '',
  nicPlaceOfIssuance: '',
  nicDateOfIssuance: '',
  nicDateOfExpiry: '',
}

const noCard = {
  selectNic: '1',
  nicNumber: '',
  nicPlaceOfIssuance: '',
  nicDateOfIssuance: '',
  nicDateOfExpiry: '',
} satisfies Partial<FormValues>

export const renewal: FormValues = {
  ...firstPassport,
  ...noCard,
  reason: '11212',
  travelDestination: 'Guinée équatoriale',
  reasonForTravel: 'Commerce',
  givenName: '',
  surname: 'Tchinda',
  gender: '11216',
  dayOfBirth: '29',
  monthOfBirth: '02',
  yearOfBirth: '1988',
  email: 'tchinda@exemple.cm',
  eppNumber: 'AA0123456',
  eppDateOfIssuance: '2017-08-01',
}

export const stolenPassport: FormValues = {
  ...firstPassport,
  reason: '11280',
  givenName: 'Fru',
  surname: "N'Doumbe M’Bella",
  gender: '11216',
  phoneNumber: '699887766',
  selectNic: '3',
  nicNumber: '100234567',
  nicDateOfIssuance: '2018-11-30',
  nicDateOfExpiry: '2088-11-30',
  eppNumber: '00998877',
  eppDateOfIssuance: '2020-12-31',
}

/** Born in France, with a French number, living in Nigeria. */
export const bornAbroad: FormValues = {
  ...firstPassport,
  givenName: 'Zoé',
  surname: 'Mbappé Étoga',
  placeOfBirth: '11037',
  regionCode: '',
  departmentCode: '',
  localityId: '',
  city: 'Villeneuve-Saint-Georges',
  dialCode: '33',
  phoneNumber: '612345678',
  resAddressCountry: '11120',
  resAddressRegionCode: '',
  resAddressDepartmentCode: '',
  resAddressLocalityId: '',
  resAddressCity: 'Port Harcourt',
  resAddressStreet: '12, Aba Road',
  fatherSurname: '',
}

export const birthDateUnknown: FormValues = {
  ...firstPassport,
  dateOfBirthUnknown: true,
  dayOfBirth: '',
  monthOfBirth: '',
  yearOfBirth: '1947',
  surname: 'Haman Adji',
  occupation: '',
}

export const otherTrade: FormValues = {
  ...firstPassport,
  occupation: '33',
  otherOccupation: 'Conteuse & griotte',
  motherGivenName: '',
}

export const oldCard: FormValues = {
  ...firstPassport,
  selectNic: '3',
  nicNumber: '109876543',
  nicPlaceOfIssuance: '',
  nicDateOfIssuance: '2016-07-31',
  nicDateOfExpiry: '2087-07-31',
}

export const additionalPassport: FormValues = {
  ...firstPassport,
  reason: '11286',
  eppNumber: '012345678901',
  eppDateOfIssuance: '2022-02-28',
}

export const additionalWithoutOldNumber: FormValues = {
  ...additionalPassport,
  eppNumber: '',
  eppDateOfIssuance: '',
}

/** A child whose representative was born abroad, does not know the day of birth, and has no card. */
export const minorWithForeignRepresentative: FormValues = {
  ...minorWithRepresentative,
  reprGivenName: '',
  reprGender: '11217',
  reprDateOfBirthUnknown: true,
  reprDayOfBirth: '',
  reprMonthOfBirth: '',
  reprYearOfBirth: '1971',
  reprPlaceOfBirth: '11120',
  reprRegionCode: '',
  reprDepartmentCode: '',
  reprLocalityId: '',
  reprCity: 'Calabar',
  reprCountryOfResidence: '11037',
  reprOccupation: '33',
  reprOtherOccupation: 'Apicultrice',
  reprNicNumber: '',
  reprNicDateOfIssuance: '',
  reprNicDateOfExpiry: '',
  reprNicPlaceOfIssuance: '',
}
