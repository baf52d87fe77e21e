// A worker of your own beside Eilbote: claims due mails of `mail_outbox` with Prisma, and settles them.
//
// Prisma's query API has no FOR UPDATE SKIP LOCKED, so the claim is $queryRaw inside $transaction: one statement chooses, locks
// and marks. A mail that is claimed belongs to this worker until it is settled, or for EILBOTE_FOREIGN_LEASE_SECONDS (300); then
// Eilbote takes it back. So finish, or give up, well before that. `prisma` is a PrismaClient on schema.prisma.

const BACKOFF_BASE_SECONDS = 30;
const BACKOFF_MAX_SECONDS = 3600;
const BACKOFF_JITTER = 0.2;

/** Up to `batchSize` mails, now `dispatching` and ours. `claim` names this claim, to the microsecond; settling needs it. */
export async function claim(prisma, batchSize = 50) {
  return prisma.$transaction((tx) => tx.$queryRaw`
    WITH candidates AS (
      SELECT id
      FROM mail_outbox
      WHERE status = 'queued'
        AND next_attempt_at <= NOW()
        AND retry_count < max_attempts
      ORDER BY next_attempt_at ASC, id ASC
      LIMIT ${batchSize}
      FOR UPDATE SKIP LOCKED
    )
    UPDATE mail_outbox
    SET status = 'dispatching',
        last_attempt_at = NOW()
    FROM candidates
    WHERE mail_outbox.id = candidates.id
    RETURNING mail_outbox.id, mail_outbox.retry_count, mail_outbox.last_attempt_at::text AS claim`,
  { isolationLevel: 'ReadCommitted' });
}

/** Envelope and bytes of a mail. */
export async function load(prisma, mail) {
  const [content] = await prisma.$queryRaw`SELECT sender, recipients, mime FROM messages WHERE id = ${mail.id}`;
  return content;
}

/** False: it took too long, and the mail is somebody else's by now. */
export async function settleSent(prisma, mail) {
  return await prisma.$executeRaw`
    UPDATE mail_outbox SET status = 'sent', last_error = NULL
    WHERE id = ${mail.id} AND status = 'dispatching' AND last_attempt_at = ${mail.claim}::timestamptz` === 1;
}

/** It is due again after the backoff; when its attempts are used up, Eilbote makes it FAILED. */
export async function settleFailed(prisma, mail, error, random = Math.random) {
  const seconds = backoffSeconds(mail.retry_count + 1, random);
  return await prisma.$executeRaw`
    UPDATE mail_outbox
    SET status = 'queued', retry_count = retry_count + 1, last_error = ${String(error).slice(0, 1000)},
        next_attempt_at = NOW() + make_interval(secs => ${seconds}::float8)
    WHERE id = ${mail.id} AND status = 'dispatching' AND last_attempt_at = ${mail.claim}::timestamptz` === 1;
}

/** After failure `n`: base * 2^n, at most the maximum, give or take the jitter. */
export function backoffSeconds(n, random = Math.random) {
  const capped = Math.min(BACKOFF_BASE_SECONDS * 2 ** n, BACKOFF_MAX_SECONDS);
  return capped * (1 + BACKOFF_JITTER * (2 * random() - 1));
}

/** One round: claims, sends with `send({sender, recipients, mime})`, settles. How many it claimed; 0: wait before the next. */
export async function work(prisma, send, batchSize = 50) {
  const mails = await claim(prisma, batchSize);
  for (const mail of mails) {
    try {
      await send(await load(prisma, mail));
    } catch (error) {
      await settleFailed(prisma, mail, error.message);
      continue;
    }
    await settleSent(prisma, mail);
  }
  return mails.length;
}
