create schema people;
create table people.walkers (walker_id int primary key, display_name text not null);
