create table depot (id int primary key, town text not null unique);
