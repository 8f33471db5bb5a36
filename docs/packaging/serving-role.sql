-- Runs once, when the database is created. Then the service "migrate" of compose.yaml lets this role use the tables (D117).
\getenv password SERVING_PASSWORD
create role serving login password :'password';
