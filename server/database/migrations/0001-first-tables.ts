import type { Migration } from 'kysely'
import { sql } from 'kysely'

/**
 * Constraints, not code, prevent two challenges of one contact and browser (which would double the tries), two open
 * applications of one applicant, and two open payments, two reservations and two bookings of one application.
 */
const statements = [
  // Keys that the configuration does not set; production sets all of them.
  `create table secret (name text primary key, value text not null)`,

  // Applicants. Each contact was verified by a code and belongs to one applicant, who may have a phone and an e-mail.
  `create table applicant (
    id uuid primary key default gen_random_uuid(),
    language text not null default 'fr',
    created_at timestamptz not null default now())`,
  `create table contact (
    kind text not null check (kind in ('phone', 'email')),
    value text not null,
    applicant_id uuid not null references applicant on delete cascade,
    proven_at timestamptz not null default now(),
    primary key (kind, value))`,
  `create index contact_of_applicant on contact (applicant_id)`,

  // A challenge binds codes to one contact and one browser. Tries are counted per challenge, for all its codes together.
  `create table challenge (
    id uuid primary key default gen_random_uuid(),
    kind text not null check (kind in ('phone', 'email')),
    value text not null,
    browser_hash text not null,
    tries integer not null default 0,
    created_at timestamptz not null default now(),
    unique (kind, value, browser_hash))`,
  `create table one_time_code (
    id bigint generated always as identity primary key,
    challenge_id uuid not null references challenge on delete cascade,
    code_hash text not null,
    sent_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz)`,
  `create index one_time_code_of_challenge on one_time_code (challenge_id, id desc)`,

  // Limits shared by all processes: one row per key and window.
  `create table usage_count (
    key text not null,
    window_start timestamptz not null,
    count integer not null,
    primary key (key, window_start))`,
  `create table used_captcha (
    answer_hash text primary key,
    expires_at timestamptz not null)`,

  // A session is a family of rotating refresh tokens.
  `create table session (
    id uuid primary key default gen_random_uuid(),
    applicant_id uuid not null references applicant on delete cascade,
    msisdn text not null default '',
    email text not null default '',
    created_at timestamptz not null default now(),
    last_used_at timestamptz not null default now(),
    ended_at timestamptz)`,
  `create table refresh_token (
    hash text primary key,
    session_id uuid not null references session on delete cascade,
    successor text,
    created_at timestamptz not null default now(),
    replaced_at timestamptz,
    expires_at timestamptz not null)`,
  `create index refresh_token_of_session on refresh_token (session_id)`,

  // Applications.
  `create sequence application_number_seq`,
  `create table application (
    id uuid primary key default gen_random_uuid(),
    applicant_id uuid not null references applicant on delete cascade,
    number text not null unique,
    state text not null default 'NEW' check (state in ('NEW', 'DATA_SAVED', 'PAYMENT_DONE',
      'APPOINTMENT_SCHEDULED', 'READY_FOR_CM', 'SENT_TO_CM', 'APPOINTMENT_CHANGED', 'APPOINTMENT_CANCELED',
      'READY_TO_RESCHEDULE', 'FAILED', 'DELETED')),
    data jsonb not null default '{}',
    additional_data text not null default '',
    draft boolean not null default true,
    version integer not null default 0,
    language text not null default 'fr',
    changes_used integer not null default 0,
    appointment_id uuid,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now())`,
  `create unique index one_open_application on application (applicant_id) where state in ('NEW', 'DATA_SAVED')`,
  `create index application_of_applicant on application (applicant_id, created_at desc)`,

  // Offices and their calendars; times are office-local, without time zone.
  `create table city (
    id integer primary key,
    country_id integer not null,
    name_fr text not null,
    name_en text not null)`,
  `create index city_of_country on city (country_id)`,
  `create table office (
    id integer primary key,
    city_id integer not null references city,
    country_id integer not null,
    name_fr text not null,
    name_en text not null,
    address text not null default '',
    time_zone text not null,
    horizon_days integer not null default 45,
    active boolean not null default true)`,
  `create index office_of_city on office (city_id)`,
  `create table opening (
    office_id integer not null references office on delete cascade,
    weekday smallint not null check (weekday between 1 and 7),
    opens time not null,
    closes time not null check (closes > opens),
    slot_minutes integer not null check (slot_minutes between 5 and 480),
    capacity integer not null check (capacity between 1 and 1000),
    primary key (office_id, weekday, opens))`,
  `create table closed_day (
    office_id integer not null references office on delete cascade,
    day date not null,
    reason text not null default '',
    primary key (office_id, day))`,

  // Appointments. A change is a new row that replaces the old one when it is confirmed.
  `create table appointment (
    id uuid primary key default gen_random_uuid(),
    application_id uuid not null references application on delete cascade,
    office_id integer not null references office,
    starts_at timestamp,
    general_queue boolean not null default false,
    state text not null check (state in ('HELD', 'CONFIRMED', 'REPLACED', 'CANCELED', 'EXPIRED')),
    held_until timestamptz,
    replaces uuid references appointment,
    created_at timestamptz not null default now(),
    confirmed_at timestamptz,
    check (general_queue or starts_at is not null),
    check ((state = 'HELD') = (held_until is not null)))`,
  `create unique index one_booking on appointment (application_id) where state = 'CONFIRMED'`,
  `create unique index one_hold on appointment (application_id) where state = 'HELD'`,
  `create index appointment_of_application on appointment (application_id)`,

  // One row per place of a slot: a place has at most one holder because it is one row. A place is free
  // without an appointment, and when `held_until` is past: no job has to free it.
  `create table slot (
    id bigint generated always as identity primary key,
    office_id integer not null references office on delete cascade,
    starts_at timestamp not null,
    unique (office_id, starts_at))`,
  `create table place (
    slot_id bigint not null references slot on delete cascade,
    seat smallint not null,
    appointment_id uuid unique deferrable initially immediate,
    held_until timestamptz,
    primary key (slot_id, seat),
    check (appointment_id is not null or held_until is null)) with (fillfactor = 70)`,

  // Payments: the order is stored before any provider is called.
  `create sequence payment_order_seq`,
  `create table payment (
    id uuid primary key default gen_random_uuid(),
    application_id uuid not null references application on delete cascade,
    order_id text not null unique,
    method text not null,
    status text not null default 'IN_PROGRESS' check (status in ('IN_PROGRESS', 'SUCCESS', 'ERROR')),
    amount integer not null check (amount >= 0),
    currency text not null,
    need_otp boolean not null default false,
    phone text not null default '',
    provider_reference text,
    refund_due boolean not null default false,
    created_at timestamptz not null default now(),
    settled_at timestamptz)`,
  `create unique index one_open_payment on payment (application_id) where status = 'IN_PROGRESS'`,
  `create index payment_of_application on payment (application_id, created_at desc)`,
  `create table payment_event (
    id bigint generated always as identity primary key,
    payment_id uuid not null references payment on delete cascade,
    at timestamptz not null default now(),
    kind text not null,
    detail jsonb not null default '{}')`,
  // Contacts of applicants who have already paid in the old system.
  `create table whitelist (
    kind text not null check (kind in ('phone', 'email')),
    value text not null,
    primary key (kind, value))`,

  // Answers of writes, stored for seven days under the idempotency key.
  `create table idempotency (
    scope text not null,
    key text not null,
    fingerprint text not null,
    status integer,
    answer jsonb,
    created_at timestamptz not null default now(),
    primary key (scope, key))`,

  // Messages to send after the commit. Claiming a row also schedules its next try.
  `create table outbox (
    id bigint generated always as identity primary key,
    key text not null unique,
    channel text not null check (channel in ('sms', 'email')),
    kind text not null,
    recipient text not null,
    message jsonb not null,
    attempts integer not null default 0,
    next_at timestamptz not null default now(),
    sent_at timestamptz,
    failed_at timestamptz,
    created_at timestamptz not null default now())`,
  `create index outbox_due on outbox (next_at) where sent_at is null and failed_at is null`,
]

export const firstTables: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
