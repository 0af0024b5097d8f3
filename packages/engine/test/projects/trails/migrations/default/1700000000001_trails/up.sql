create table public.trail_states (state text primary key);
insert into public.trail_states values ('open'), ('closed');
create table public.trails (
  id serial primary key,
  name text not null unique,
  state text not null default 'closed' references public.trail_states (state),
  found_by int
);
create function public.trail_slug(trail public.trails) returns text
  language sql stable
  as $$ select lower(replace(trail.name, ' ', '-')) $$;
