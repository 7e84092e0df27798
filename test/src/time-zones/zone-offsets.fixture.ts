// cspell:disable
/* Printed by zone-offsets.py: do not edit. */

/** What computed the table, from which data. */
export const source = 'Python zoneinfo, tzdata 2026f-0+deb12u1 of Debian';

export const instants: readonly string[] = [
  '2025-01-15T12:00:00Z',
  '2025-04-03T00:30:00Z',
  '2025-07-15T18:45:00Z',
  '2025-10-28T06:15:00Z',
  '2026-01-15T12:00:00Z',
  '2026-03-04T03:00:00Z',
  '2026-06-20T21:10:00Z',
  '2026-09-25T09:00:00Z',
  '2026-10-21T22:00:00Z',
  '2026-11-20T15:30:00Z',
  '2027-03-20T23:59:59Z',
  '2027-07-15T12:00:00Z',
  '2027-12-15T12:00:00Z',
];

/** Minutes ahead of UTC at the instants, and the zones that have them. */
export const zonesByOffsets: Readonly<Record<string, string>> = {
  '-120,-120,-120,-120,-120,-120,-120,-120,-120,-120,-120,-120,-120':
    'America/Noronha Atlantic/South_Georgia Brazil/DeNoronha Etc/GMT+2',
  '-120,-60,-60,-120,-120,-120,-60,-60,-60,-120,-120,-60,-120': 'America/Godthab America/Nuuk America/Scoresbysund',
  '-180,-120,-120,-120,-180,-180,-120,-120,-120,-180,-120,-120,-180': 'America/Miquelon',
  '-180,-180,-180,-180,-180,-180,-180,-180,-180,-180,-180,-180,-180':
    'America/Araguaina America/Argentina/Buenos_Aires America/Argentina/Catamarca America/Argentina/ComodRivadavia America/Argentina/Cordoba America/Argentina/Jujuy America/Argentina/La_Rioja America/Argentina/Mendoza America/Argentina/Rio_Gallegos America/Argentina/Salta America/Argentina/San_Juan America/Argentina/San_Luis America/Argentina/Tucuman America/Argentina/Ushuaia America/Asuncion America/Bahia America/Belem America/Buenos_Aires America/Catamarca America/Cayenne America/Cordoba America/Coyhaique America/Fortaleza America/Jujuy America/Maceio America/Mendoza America/Montevideo America/Paramaribo America/Punta_Arenas America/Recife America/Rosario America/Santarem America/Sao_Paulo Antarctica/Palmer Antarctica/Rothera Atlantic/Stanley Brazil/East Etc/GMT+3',
  '-180,-180,-240,-180,-180,-180,-240,-180,-180,-180,-180,-240,-180': 'America/Santiago Chile/Continental',
  '-210,-150,-150,-150,-210,-210,-150,-150,-150,-210,-150,-150,-210': 'America/St_Johns Canada/Newfoundland',
  '-240,-180,-180,-180,-240,-240,-180,-180,-180,-240,-180,-180,-240':
    'America/Glace_Bay America/Goose_Bay America/Halifax America/Moncton America/Thule Atlantic/Bermuda Canada/Atlantic',
  '-240,-240,-240,-240,-240,-240,-240,-240,-240,-240,-240,-240,-240':
    'America/Anguilla America/Antigua America/Aruba America/Barbados America/Blanc-Sablon America/Boa_Vista America/Campo_Grande America/Caracas America/Cuiaba America/Curacao America/Dominica America/Grenada America/Guadeloupe America/Guyana America/Kralendijk America/La_Paz America/Lower_Princes America/Manaus America/Marigot America/Martinique America/Montserrat America/Port_of_Spain America/Porto_Velho America/Puerto_Rico America/Santo_Domingo America/St_Barthelemy America/St_Kitts America/St_Lucia America/St_Thomas America/St_Vincent America/Tortola America/Virgin Brazil/West Etc/GMT+4',
  '-300,-240,-240,-240,-300,-300,-240,-240,-240,-240,-240,-240,-300': 'America/Havana Cuba',
  '-300,-240,-240,-240,-300,-300,-240,-240,-240,-300,-240,-240,-300':
    'America/Detroit America/Fort_Wayne America/Grand_Turk America/Indiana/Indianapolis America/Indiana/Marengo America/Indiana/Petersburg America/Indiana/Vevay America/Indiana/Vincennes America/Indiana/Winamac America/Indianapolis America/Iqaluit America/Kentucky/Louisville America/Kentucky/Monticello America/Louisville America/Montreal America/Nassau America/New_York America/Nipigon America/Pangnirtung America/Port-au-Prince America/Thunder_Bay America/Toronto Canada/Eastern EST5EDT US/East-Indiana US/Eastern US/Michigan',
  '-300,-300,-300,-300,-300,-300,-300,-300,-300,-300,-300,-300,-300':
    'America/Atikokan America/Bogota America/Cancun America/Cayman America/Coral_Harbour America/Eirunepe America/Guayaquil America/Jamaica America/Lima America/Panama America/Porto_Acre America/Rio_Branco Brazil/Acre EST Etc/GMT+5 Jamaica',
  '-300,-300,-360,-300,-300,-300,-360,-300,-300,-300,-300,-360,-300': 'Chile/EasterIsland Pacific/Easter',
  '-360,-300,-300,-300,-360,-360,-300,-300,-300,-300,-300,-300,-300':
    'America/Rainy_River America/Winnipeg Canada/Central',
  '-360,-300,-300,-300,-360,-360,-300,-300,-300,-360,-300,-300,-360':
    'America/Chicago America/Indiana/Knox America/Indiana/Tell_City America/Knox_IN America/Matamoros America/Menominee America/North_Dakota/Beulah America/North_Dakota/Center America/North_Dakota/New_Salem America/Ojinaga America/Rankin_Inlet America/Resolute CST6CDT US/Central US/Indiana-Starke',
  '-360,-360,-360,-360,-360,-360,-360,-360,-360,-360,-360,-360,-360':
    'America/Bahia_Banderas America/Belize America/Chihuahua America/Costa_Rica America/El_Salvador America/Guatemala America/Managua America/Merida America/Mexico_City America/Monterrey America/Regina America/Swift_Current America/Tegucigalpa Canada/Saskatchewan Etc/GMT+6 Mexico/General Pacific/Galapagos',
  '-420,-360,-360,-360,-420,-420,-360,-360,-360,-360,-360,-360,-360':
    'America/Edmonton America/Inuvik America/Yellowknife Canada/Mountain',
  '-420,-360,-360,-360,-420,-420,-360,-360,-360,-420,-360,-360,-420':
    'America/Boise America/Cambridge_Bay America/Ciudad_Juarez America/Denver America/Shiprock MST7MDT Navajo US/Mountain',
  '-420,-420,-420,-420,-420,-420,-420,-420,-420,-420,-420,-420,-420':
    'America/Creston America/Dawson America/Dawson_Creek America/Fort_Nelson America/Hermosillo America/Mazatlan America/Phoenix America/Whitehorse Canada/Yukon Etc/GMT+7 MST Mexico/BajaSur US/Arizona',
  '-480,-420,-420,-420,-480,-480,-420,-420,-420,-420,-420,-420,-420': 'America/Vancouver Canada/Pacific',
  '-480,-420,-420,-420,-480,-480,-420,-420,-420,-480,-420,-420,-480':
    'America/Ensenada America/Los_Angeles America/Santa_Isabel America/Tijuana Mexico/BajaNorte PST8PDT US/Pacific',
  '-480,-480,-480,-480,-480,-480,-480,-480,-480,-480,-480,-480,-480': 'Etc/GMT+8 Pacific/Pitcairn',
  '-540,-480,-480,-480,-540,-540,-480,-480,-480,-540,-480,-480,-540':
    'America/Anchorage America/Juneau America/Metlakatla America/Nome America/Sitka America/Yakutat US/Alaska',
  '-540,-540,-540,-540,-540,-540,-540,-540,-540,-540,-540,-540,-540': 'Etc/GMT+9 Pacific/Gambier',
  '-570,-570,-570,-570,-570,-570,-570,-570,-570,-570,-570,-570,-570': 'Pacific/Marquesas',
  '-60,-60,-60,-60,-60,-60,-60,-60,-60,-60,-60,-60,-60': 'Atlantic/Cape_Verde Etc/GMT+1',
  '-60,0,0,-60,-60,-60,0,0,0,-60,-60,0,-60': 'Atlantic/Azores',
  '-600,-540,-540,-540,-600,-600,-540,-540,-540,-600,-540,-540,-600': 'America/Adak America/Atka US/Aleutian',
  '-600,-600,-600,-600,-600,-600,-600,-600,-600,-600,-600,-600,-600':
    'Etc/GMT+10 HST Pacific/Honolulu Pacific/Johnston Pacific/Rarotonga Pacific/Tahiti US/Hawaii',
  '-660,-660,-660,-660,-660,-660,-660,-660,-660,-660,-660,-660,-660':
    'Etc/GMT+11 Pacific/Midway Pacific/Niue Pacific/Pago_Pago Pacific/Samoa US/Samoa',
  '-720,-720,-720,-720,-720,-720,-720,-720,-720,-720,-720,-720,-720': 'Etc/GMT+12',
  '0,0,0,0,0,0,0,0,0,0,0,0,0':
    'Africa/Abidjan Africa/Accra Africa/Bamako Africa/Banjul Africa/Bissau Africa/Conakry Africa/Dakar Africa/Freetown Africa/Lome Africa/Monrovia Africa/Nouakchott Africa/Ouagadougou Africa/Sao_Tome Africa/Timbuktu America/Danmarkshavn Atlantic/Reykjavik Atlantic/St_Helena Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich Etc/UCT Etc/UTC Etc/Universal Etc/Zulu GMT GMT+0 GMT-0 GMT0 Greenwich Iceland UCT UTC Universal Zulu',
  '0,120,120,0,0,0,120,120,120,0,0,120,0': 'Antarctica/Troll',
  '0,60,60,0,0,0,60,60,60,0,0,60,0':
    'Atlantic/Canary Atlantic/Faeroe Atlantic/Faroe Atlantic/Madeira Eire Europe/Belfast Europe/Dublin Europe/Guernsey Europe/Isle_of_Man Europe/Jersey Europe/Lisbon Europe/London GB GB-Eire Portugal WET',
  '120,120,120,120,120,120,120,120,120,120,120,120,120':
    'Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare Africa/Johannesburg Africa/Juba Africa/Khartoum Africa/Kigali Africa/Lubumbashi Africa/Lusaka Africa/Maputo Africa/Maseru Africa/Mbabane Africa/Tripoli Africa/Windhoek Etc/GMT-2 Europe/Kaliningrad Libya',
  '120,120,180,120,120,120,180,180,180,120,120,180,120': 'Asia/Gaza Asia/Hebron',
  '120,120,180,180,120,120,180,180,180,120,120,180,120': 'Africa/Cairo Egypt',
  '120,180,180,120,120,120,180,180,180,120,120,180,120':
    'Asia/Beirut Asia/Famagusta Asia/Jerusalem Asia/Nicosia Asia/Tel_Aviv EET Europe/Athens Europe/Bucharest Europe/Chisinau Europe/Helsinki Europe/Kiev Europe/Kyiv Europe/Mariehamn Europe/Nicosia Europe/Riga Europe/Sofia Europe/Tallinn Europe/Tiraspol Europe/Uzhgorod Europe/Vilnius Europe/Zaporozhye Israel',
  '180,180,180,180,180,180,180,180,180,180,180,180,180':
    'Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Dar_es_Salaam Africa/Djibouti Africa/Kampala Africa/Mogadishu Africa/Nairobi Antarctica/Syowa Asia/Aden Asia/Amman Asia/Baghdad Asia/Bahrain Asia/Damascus Asia/Istanbul Asia/Kuwait Asia/Qatar Asia/Riyadh Etc/GMT-3 Europe/Istanbul Europe/Kirov Europe/Minsk Europe/Moscow Europe/Simferopol Europe/Volgograd Indian/Antananarivo Indian/Comoro Indian/Mayotte Turkey W-SU',
  '210,210,210,210,210,210,210,210,210,210,210,210,210': 'Asia/Tehran Iran',
  '240,240,240,240,240,240,240,240,240,240,240,240,240':
    'Asia/Baku Asia/Dubai Asia/Muscat Asia/Tbilisi Asia/Yerevan Etc/GMT-4 Europe/Astrakhan Europe/Samara Europe/Saratov Europe/Ulyanovsk Indian/Mahe Indian/Mauritius Indian/Reunion',
  '270,270,270,270,270,270,270,270,270,270,270,270,270': 'Asia/Kabul',
  '300,300,300,300,300,300,300,300,300,300,300,300,300':
    'Antarctica/Mawson Antarctica/Vostok Asia/Almaty Asia/Aqtau Asia/Aqtobe Asia/Ashgabat Asia/Ashkhabad Asia/Atyrau Asia/Dushanbe Asia/Karachi Asia/Oral Asia/Qostanay Asia/Qyzylorda Asia/Samarkand Asia/Tashkent Asia/Yekaterinburg Etc/GMT-5 Indian/Kerguelen Indian/Maldives',
  '330,330,330,330,330,330,330,330,330,330,330,330,330': 'Asia/Calcutta Asia/Colombo Asia/Kolkata',
  '345,345,345,345,345,345,345,345,345,345,345,345,345': 'Asia/Kathmandu Asia/Katmandu',
  '360,360,360,360,360,360,360,360,360,360,360,360,360':
    'Asia/Bishkek Asia/Dacca Asia/Dhaka Asia/Kashgar Asia/Omsk Asia/Thimbu Asia/Thimphu Asia/Urumqi Etc/GMT-6 Indian/Chagos',
  '390,390,390,390,390,390,390,390,390,390,390,390,390': 'Asia/Rangoon Asia/Yangon Indian/Cocos',
  '420,420,420,420,420,420,420,420,420,420,420,420,420':
    'Antarctica/Davis Asia/Bangkok Asia/Barnaul Asia/Ho_Chi_Minh Asia/Hovd Asia/Jakarta Asia/Krasnoyarsk Asia/Novokuznetsk Asia/Novosibirsk Asia/Phnom_Penh Asia/Pontianak Asia/Saigon Asia/Tomsk Asia/Vientiane Etc/GMT-7 Indian/Christmas',
  '480,480,480,480,480,480,480,480,480,480,480,480,480':
    'Antarctica/Casey Asia/Brunei Asia/Choibalsan Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Hong_Kong Asia/Irkutsk Asia/Kuala_Lumpur Asia/Kuching Asia/Macao Asia/Macau Asia/Makassar Asia/Manila Asia/Shanghai Asia/Singapore Asia/Taipei Asia/Ujung_Pandang Asia/Ulaanbaatar Asia/Ulan_Bator Australia/Perth Australia/West Etc/GMT-8 Hongkong PRC ROC Singapore',
  '525,525,525,525,525,525,525,525,525,525,525,525,525': 'Australia/Eucla',
  '540,540,540,540,540,540,540,540,540,540,540,540,540':
    'Asia/Chita Asia/Dili Asia/Jayapura Asia/Khandyga Asia/Pyongyang Asia/Seoul Asia/Tokyo Asia/Yakutsk Etc/GMT-9 Japan Pacific/Palau ROK',
  '570,570,570,570,570,570,570,570,570,570,570,570,570': 'Australia/Darwin Australia/North',
  '60,0,60,60,60,0,60,0,0,0,0,0,0': 'Africa/Casablanca Africa/El_Aaiun',
  '60,120,120,60,60,60,120,120,120,60,60,120,60':
    'Africa/Ceuta Arctic/Longyearbyen Atlantic/Jan_Mayen CET Europe/Amsterdam Europe/Andorra Europe/Belgrade Europe/Berlin Europe/Bratislava Europe/Brussels Europe/Budapest Europe/Busingen Europe/Copenhagen Europe/Gibraltar Europe/Ljubljana Europe/Luxembourg Europe/Madrid Europe/Malta Europe/Monaco Europe/Oslo Europe/Paris Europe/Podgorica Europe/Prague Europe/Rome Europe/San_Marino Europe/Sarajevo Europe/Skopje Europe/Stockholm Europe/Tirane Europe/Vaduz Europe/Vatican Europe/Vienna Europe/Warsaw Europe/Zagreb Europe/Zurich MET Poland',
  '60,60,60,60,60,60,60,60,60,60,60,60,60':
    'Africa/Algiers Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa Africa/Lagos Africa/Libreville Africa/Luanda Africa/Malabo Africa/Ndjamena Africa/Niamey Africa/Porto-Novo Africa/Tunis Etc/GMT-1',
  '600,600,600,600,600,600,600,600,600,600,600,600,600':
    'Antarctica/DumontDUrville Asia/Ust-Nera Asia/Vladivostok Australia/Brisbane Australia/Lindeman Australia/Queensland Etc/GMT-10 Pacific/Chuuk Pacific/Guam Pacific/Port_Moresby Pacific/Saipan Pacific/Truk Pacific/Yap',
  '630,630,570,630,630,630,570,570,630,630,630,570,630':
    'Australia/Adelaide Australia/Broken_Hill Australia/South Australia/Yancowinna',
  '660,660,600,660,660,660,600,600,660,660,660,600,660':
    'Antarctica/Macquarie Australia/ACT Australia/Canberra Australia/Currie Australia/Hobart Australia/Melbourne Australia/NSW Australia/Sydney Australia/Tasmania Australia/Victoria',
  '660,660,630,660,660,660,630,630,660,660,660,630,660': 'Australia/LHI Australia/Lord_Howe',
  '660,660,660,660,660,660,660,660,660,660,660,660,660':
    'Asia/Magadan Asia/Sakhalin Asia/Srednekolymsk Etc/GMT-11 Pacific/Bougainville Pacific/Efate Pacific/Guadalcanal Pacific/Kosrae Pacific/Noumea Pacific/Pohnpei Pacific/Ponape',
  '720,720,660,720,720,720,660,660,720,720,720,660,720': 'Pacific/Norfolk',
  '720,720,720,720,720,720,720,720,720,720,720,720,720':
    'Asia/Anadyr Asia/Kamchatka Etc/GMT-12 Kwajalein Pacific/Fiji Pacific/Funafuti Pacific/Kwajalein Pacific/Majuro Pacific/Nauru Pacific/Tarawa Pacific/Wake Pacific/Wallis',
  '780,780,720,780,780,780,720,720,780,780,780,720,780': 'Antarctica/McMurdo Antarctica/South_Pole NZ Pacific/Auckland',
  '780,780,780,780,780,780,780,780,780,780,780,780,780':
    'Etc/GMT-13 Pacific/Apia Pacific/Enderbury Pacific/Fakaofo Pacific/Kanton Pacific/Tongatapu',
  '825,825,765,825,825,825,765,765,825,825,825,765,825': 'NZ-CHAT Pacific/Chatham',
  '840,840,840,840,840,840,840,840,840,840,840,840,840': 'Etc/GMT-14 Pacific/Kiritimati',
};

/** Zone, instant, and minutes ahead of UTC: around changes of the date line. */
export const pastOffsets: readonly (readonly [zone: string, instant: string, minutes: number])[] = [
  ['Pacific/Apia', '2011-12-30T09:59:59Z', -600],
  ['Pacific/Apia', '2011-12-30T10:00:00Z', 840],
  ['Pacific/Fakaofo', '2011-12-30T10:59:59Z', -660],
  ['Pacific/Fakaofo', '2011-12-30T11:00:00Z', 780],
  ['Pacific/Kwajalein', '1993-08-21T11:59:59Z', -720],
  ['Pacific/Kwajalein', '1993-08-21T12:00:00Z', 720],
  ['Kwajalein', '1993-08-21T11:59:59Z', -720],
  ['Kwajalein', '1993-08-21T12:00:00Z', 720],
  ['Pacific/Kiritimati', '1994-12-31T09:59:59Z', -600],
  ['Pacific/Kiritimati', '1994-12-31T10:00:00Z', 840],
  ['Pacific/Enderbury', '1994-12-31T10:59:59Z', -660],
  ['Pacific/Enderbury', '1994-12-31T11:00:00Z', 780],
  ['Pacific/Kanton', '1994-12-31T10:59:59Z', -660],
  ['Pacific/Kanton', '1994-12-31T11:00:00Z', 780],
];
