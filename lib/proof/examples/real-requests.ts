/**
 * A proof of a real person, for a production app of the demo data. It is valid only for the key of a real ceremony, so it
 * tests verification with that key. A simulated proof cannot do that.
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

/** A proof of a real person in the first protocol: a body of `POST /api/v1/verify`, for the staging demo app. */
export const REAL_PROOF_V1 = {
  action_id: 'wid_staging_0fa2dbde7735834e560fb5ad13146f0c',
  signal: 'testtest2',
  merkle_root: '0x20d9ffa3098537d4a3fa3ebfd954bc1a489733f941cba387c70b4caecfa8ee00',
  nullifier_hash: '0x07fc9573659d4a81e6f20a7bbccbb2a88398a404e5c4ef9a7104ccf349170621',
  proof: `0x${[
    '0d55087c25999d2534be9ca909f0efdc27cedb26cda1568ea2889f6a93f23db3',
    '1836046ebe7f35464e6d4efded63bb30e145fa5e5e9b4a7466da35b1e0afcf4b',
    '181b6260eca51e72055e549ee0b25d0667c2f0bb347cadefb9ba50313b8c4d19',
    '285166d3df6ce3c3f747cfab158fd4eedf838fa60b761ce557c43c4035ec0e28',
    '287cdf77f2d37eed5284a9e7550977cd1def9d838fc1d4ddc1c8c72b5cc627c8',
    '1fd7129a94614eff5555e7b22b5330ab454e526b469e1546dd89ab6fbd7c3ac6',
    '165569a99e1897f4575ae45af6b01020b6bddc507848ed4239cede18bfe62b19',
    '1069a733b8beec3eeaa0b7dab0faef4d53218ed5afe70fbd0041a1e18f56552b',
  ].join('')}`,
} as const
