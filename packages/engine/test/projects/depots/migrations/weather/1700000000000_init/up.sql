create table report (day date, town text, wind int not null, primary key (day, town));
