drop table jwks;
drop table cache;
drop table api_key;
