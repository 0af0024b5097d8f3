insert into report (day, town, wind) values ('2030-01-01', 'Ware', 4), ('2030-01-01', 'Hook Norton', 0), ('2030-01-02', 'Ware', 7);
