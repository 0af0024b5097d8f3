/**
 * A proof made by a real person, for the production app of the demo data.
 *
 * It holds under the production key only, so it shows that the whole path works for real people:
 * no simulated proof could.
 */
export const REAL_PROOF = {
  appId: 'app_b5bf70a63e4ecd0be5f1b754b6675728',
  body: {
    action: 'verify-identity',
    verification_level: 'orb',
    merkle_root: '0x29bfd71235061ae4317ac1fee537077fe96ee8fe8f4375ab434c18aa3a880ded',
    nullifier_hash: '0x04a74bd57677629286c6e13289c00029dc776595eb368382ccc69d65b604a0ad',
    proof: `0x${[
      '2f87a182565d7f0abb1d1081f4cc973be1f925d85989fbdf5ce1ace242509330',
      '0d375b6cc334454cfe523a2fbb241b4398ab030dd45511ed6fad37479de74d65',
      '2cee36009b77eed79bdf5a2fb4b1a1d8e967c05dbf50d36310088c1cbe3d9010',
      '055c799ef6e8677930b674034201355652a0e55e32e73835168b916847a8d93e',
      '2ef361a894c328b1090bc131408301a8d794eb0eb78ef682a75c500e3e7ef2e6',
      '1b46107f365809c857c70afcf9e51225e0cdb5803074b2df2f0288166ee5b42d',
      '01f76ba6a75f7bf50969b1501cc8222b3718d2c75e6a2c9fa4481e271f18cf08',
      '0fcddabef0e3202298911d897ab1367a3e55252679c8f8985f9b541e7f6bb344',
    ].join('')}`,
  },
} as const
