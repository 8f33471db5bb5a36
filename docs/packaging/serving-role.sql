-- Runs once, when the database is created. The service migrate then lets this role use the tables (D117).
\getenv password SERVING_PASSWORD
create role serving login password :'password';
