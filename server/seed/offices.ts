import { homeCountry } from '#contract/codes.ts'

/**
 * The enrolment offices a new database starts with. Sources, where one was found: Cameroon Tribune, CRTV, allAfrica
 * and journalducameroun.com. A street that no source gives is left out, never invented. Ids are kept for ever.
 */
export type OfficeSeed = {
  id: number
  cityId: number
  nameFr: string
  nameEn: string
  /** '' where the street is not known. */
  address: string
  /** Applicants that can be received in one slot. */
  capacity: number
  hours: OpeningHours
}

export type CitySeed = { id: number; countryId: number; nameFr: string; nameEn: string; timeZone: string }

type OpeningHours = {
  /** 1 is Monday. */
  weekdays: number[]
  opens: string
  closes: string
}

export const slotMinutes = 30
export const horizonDays = 45

export function listCitySeeds(): CitySeed[] {
  return [
    ...homeCities.map(([id, name]) => ({
      id,
      countryId: Number(homeCountry),
      nameFr: name,
      nameEn: name,
      timeZone: 'Africa/Douala',
    })),
    ...citiesAbroad.map(([id, countryId, timeZone, nameFr, nameEn = nameFr]) => ({
      id,
      countryId,
      nameFr,
      nameEn,
      timeZone,
    })),
  ]
}

export function listOfficeSeeds(): OfficeSeed[] {
  const cities = new Map(listCitySeeds().map(city => [city.id, city]))
  return [
    ...centres.map(centre => ({ ...centre, hours: centreHours })),
    ...stations.map(([id, cityId, nameFr, nameEn, address = '']) => ({
      id,
      cityId,
      nameFr: `Commissariat à l’émi-immigration ${nameFr}`,
      nameEn: `${nameEn} Emi-Immigration police station`,
      address,
      capacity: 6,
      hours: centreHours,
    })),
    ...missions.map(([id, kind, cityId, { capacity = 3, address = '', published = true } = {}]) => ({
      id,
      cityId,
      nameFr: `${missionNames[kind].fr} – ${cities.get(cityId)?.nameFr ?? ''}`,
      nameEn: `${missionNames[kind].en} – ${cities.get(cityId)?.nameEn ?? ''}`,
      address,
      capacity,
      hours: published ? missionHours : unpublishedHours,
    })),
  ]
}

const centreHours: OpeningHours = { weekdays: [1, 2, 3, 4, 5], opens: '08:00', closes: '15:30' }
/** Missions enrol on fixed days; these three are working days in every country of the list. */
const missionHours: OpeningHours = { weekdays: [2, 3, 4], opens: '09:00', closes: '13:00' }

/** An office that has published no dates yet: an applicant who chooses this office waits in the general queue (S09). */
const unpublishedHours: OpeningHours = { ...missionHours, weekdays: [] }

const homeCities: [id: number, name: string][] = [
  [1, 'Yaoundé'],
  [2, 'Douala'],
  [3, 'Ngaoundéré'],
  [4, 'Bertoua'],
  [5, 'Maroua'],
  [6, 'Garoua'],
  [7, 'Bamenda'],
  [8, 'Bafoussam'],
  [9, 'Ebolowa'],
  [10, 'Buea'],
]

const citiesAbroad: [id: number, countryId: number, timeZone: string, nameFr: string, nameEn?: string][] = [
  [101, 11120, 'Africa/Lagos', 'Abuja'],
  [102, 11120, 'Africa/Lagos', 'Lagos'],
  [103, 11120, 'Africa/Lagos', 'Calabar'],
  [104, 11032, 'Africa/Addis_Ababa', 'Addis-Abeba', 'Addis Ababa'],
  [105, 10963, 'Africa/Algiers', 'Alger', 'Algiers'],
  [106, 11003, 'Africa/Bangui', 'Bangui'],
  [107, 11012, 'Africa/Brazzaville', 'Brazzaville'],
  [108, 11026, 'Africa/Cairo', 'Le Caire', 'Cairo'],
  [109, 11156, 'Africa/Dakar', 'Dakar'],
  [110, 11015, 'Africa/Abidjan', 'Abidjan'],
  [111, 11011, 'Africa/Kinshasa', 'Kinshasa'],
  [112, 11041, 'Africa/Libreville', 'Libreville'],
  [113, 11028, 'Africa/Malabo', 'Malabo'],
  [114, 11028, 'Africa/Malabo', 'Bata'],
  [115, 11028, 'Africa/Malabo', 'Mongomo'],
  [116, 11085, 'Africa/Monrovia', 'Monrovia'],
  [117, 11004, 'Africa/Ndjamena', 'N’Djamena'],
  [118, 11166, 'Africa/Johannesburg', 'Pretoria'],
  [119, 11109, 'Africa/Casablanca', 'Rabat'],
  [120, 11086, 'Africa/Tripoli', 'Tripoli'],
  [121, 11187, 'Africa/Tunis', 'Tunis'],
  [122, 11198, 'America/New_York', 'Washington'],
  [123, 10999, 'America/Toronto', 'Ottawa'],
  [124, 10990, 'America/Sao_Paulo', 'Brasilia'],
  [125, 11037, 'Europe/Paris', 'Paris'],
  [126, 11037, 'Europe/Paris', 'Marseille'],
  [127, 10981, 'Europe/Brussels', 'Bruxelles', 'Brussels'],
  [128, 11044, 'Europe/Berlin', 'Berlin'],
  [129, 11197, 'Europe/London', 'Londres', 'London'],
  [130, 11115, 'Europe/Amsterdam', 'La Haye', 'The Hague'],
  [131, 11070, 'Europe/Rome', 'Rome'],
  [132, 11176, 'Europe/Zurich', 'Berne', 'Bern'],
  [133, 11170, 'Europe/Madrid', 'Madrid'],
  [134, 11143, 'Europe/Moscow', 'Moscou', 'Moscow'],
  [135, 11202, 'Europe/Vatican', 'Vatican'],
  [136, 11072, 'Asia/Tokyo', 'Tokyo'],
  [137, 11006, 'Asia/Shanghai', 'Pékin', 'Beijing'],
  [138, 11006, 'Asia/Shanghai', 'Guangzhou'],
  [139, 11155, 'Asia/Riyadh', 'Riyad', 'Riyadh'],
  [140, 11196, 'Asia/Dubai', 'Dubaï', 'Dubai'],
  [141, 11188, 'Europe/Istanbul', 'Ankara'],
  [142, 11069, 'Asia/Jerusalem', 'Tel-Aviv', 'Tel Aviv'],
]

/** The two centres with sixteen counters each; 650 applicants a day are about 40 in half an hour. */
const centres: Omit<OfficeSeed, 'hours'>[] = [
  {
    id: 1,
    cityId: 1,
    nameFr: 'Centre national de production des passeports (CNPP)',
    nameEn: 'National Centre for the Production of Passports (CNPP)',
    address: 'Etoudi (Tongolo), près de la mairie de Yaoundé 1er, Yaoundé',
    capacity: 40,
  },
  {
    id: 2,
    cityId: 2,
    nameFr: 'Centre d’enrôlement des passeports du Littoral',
    nameEn: 'Littoral passport enrolment centre',
    address:
      'Enceinte du Groupement mobile d’intervention n° 2 (GMI 2), quartier administratif, Bonanjo, Douala',
    capacity: 40,
  },
]

const stations: [id: number, cityId: number, nameFr: string, nameEn: string, address?: string][] = [
  [3, 1, 'du Centre', 'Centre'],
  [4, 3, 'de l’Adamaoua', 'Adamawa'],
  [5, 4, 'de l’Est', 'East', 'Immeuble de la Délégation régionale de la Sûreté nationale, Bertoua'],
  [6, 5, 'de l’Extrême-Nord', 'Far North'],
  [7, 2, 'du Littoral', 'Littoral', 'Bonanjo, Douala'],
  [8, 6, 'du Nord', 'North'],
  [9, 7, 'du Nord-Ouest', 'North-West'],
  [10, 8, 'de l’Ouest', 'West'],
  [11, 9, 'du Sud', 'South'],
  [12, 10, 'du Sud-Ouest', 'South-West'],
]

const missionNames = {
  embassy: { fr: 'Ambassade du Cameroun', en: 'Embassy of Cameroon' },
  highCommission: { fr: 'Haut-commissariat du Cameroun', en: 'High Commission of Cameroon' },
  consulate: { fr: 'Consulat du Cameroun', en: 'Consulate of Cameroon' },
  consulateGeneral: { fr: 'Consulat général du Cameroun', en: 'Consulate General of Cameroon' },
} as const

type Mission = [
  id: number,
  kind: keyof typeof missionNames,
  cityId: number,
  more?: { capacity?: number; address?: string; published?: false },
]

const missions: Mission[] = [
  [13, 'highCommission', 101, { capacity: 4 }],
  [
    14,
    'consulateGeneral',
    102,
    { capacity: 4, address: '5 Elsie Femi Pearse Street, Victoria Island, Lagos' },
  ],
  [15, 'consulate', 103],
  [16, 'embassy', 104],
  [17, 'embassy', 105],
  [18, 'embassy', 106],
  [19, 'embassy', 107],
  [20, 'embassy', 108],
  [21, 'embassy', 109],
  [22, 'embassy', 110],
  [23, 'embassy', 111],
  [24, 'embassy', 112, { capacity: 6 }],
  [25, 'embassy', 113],
  [26, 'consulate', 114],
  [27, 'consulate', 115],
  [28, 'embassy', 116],
  [29, 'embassy', 117, { capacity: 4 }],
  [30, 'highCommission', 118],
  [31, 'embassy', 119],
  [32, 'embassy', 120],
  [33, 'embassy', 121],
  [34, 'embassy', 122, { capacity: 6, address: '3400 International Drive NW, Washington, DC' }],
  [35, 'highCommission', 123, { capacity: 4 }],
  [36, 'embassy', 124, { address: 'SHIS QI 15, conjunto 14, casa 17, Lago Sul, Brasília' }],
  [37, 'embassy', 125, { capacity: 6, address: '73 rue d’Auteuil, 75016 Paris' }],
  [38, 'consulateGeneral', 125, { capacity: 6 }],
  [39, 'consulate', 126, { capacity: 4 }],
  [40, 'embassy', 127, { capacity: 4 }],
  [41, 'embassy', 128, { capacity: 4 }],
  [42, 'highCommission', 129, { capacity: 4 }],
  [43, 'embassy', 130, { address: 'Amaliastraat 14, 2514 JC ’s-Gravenhage' }],
  [44, 'embassy', 131],
  [45, 'embassy', 132],
  [46, 'embassy', 133],
  [47, 'embassy', 134],
  // Has no dates in the demo, so that testers find the general queue. No source says that this embassy uses that queue.
  [48, 'embassy', 135, { published: false }],
  [49, 'embassy', 136],
  [50, 'embassy', 137],
  [51, 'consulateGeneral', 138],
  [52, 'embassy', 139],
  [53, 'consulateGeneral', 140],
  [54, 'embassy', 141],
  [55, 'embassy', 142],
]
