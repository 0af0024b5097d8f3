create schema staff;
create table staff.member (name text primary key);
create table public.lot (id int primary key, seller text not null, withdrawn_at timestamptz);
create view public.open_lots as select id, seller from public.lot where withdrawn_at is null;
