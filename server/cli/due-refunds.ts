import { sql } from 'kysely'

/**
 * The payments that are due back, each as one row: those of applications, of erased applications (D112), and those that
 * only a statement knows (D108). `application`: its number; `-` when it is erased or not known.
 */
export const dueRefunds = sql`(
  select payment.order_id, application.number as application, payment.method,
    payment.amount || ' ' || payment.currency as amount, payment.phone,
    coalesce(payment.provider_reference, '-') as reference,
    coalesce(payment.settled_at, payment.created_at) as paid_at, payment.created_at
  from payment join application on application.id = payment.application_id
  where payment.refund_due and payment.refunded_at is null
  union all
  select order_id, '-', concat_ws(' ', method, channel), amount || ' ' || currency, coalesce(phone, '-'),
    coalesce(nullif(concat_ws(' ', provider_reference, operator_reference), ''), '-'),
    coalesce(settled_at, created_at), created_at
  from past_order where refund_due and refunded_at is null
  union all
  select order_id, '-', method, amount || ' ' || currency, '-', coalesce(nullif(provider_reference, ''), '-'),
    noted_at, noted_at
  from unknown_payment where refunded_at is null)`
