insert into depot (id, town) values (1, 'Hook Norton'), (2, 'Ware');
