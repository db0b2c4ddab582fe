/** Whether the time of a lease is up: it was not renewed in time, or was renewed in the future of this clock, which was set back since. */
export const isOver = (now: string): string =>
  `(l.until_ms <= ${now} or l.until_ms - l.timeout_ms > ${now} + l.timeout_ms / 3)`;

/** Milliseconds since the Unix epoch: by the clock of the database, which all machines share, unless the parameter has another one. */
export const nowOf = (parameter: number): string =>
  `coalesce($${parameter}::double precision, (extract(epoch from clock_timestamp()) * 1000)::double precision)`;

/** Whether an owner holds the session of a run. @param ended the parameter with those who hold leases and have ended. */
export const isHeldBy = (now: string, ended: string): string =>
  `coalesce(not ${isOver(now)} and l.holder <> all(${ended}), false)`;

/**
 * The statements of a journal. Each is one transaction that reads the format of the tables, too: a later version may have migrated them. None has a name or needs a setting of its
 * connection, so that they work with a pooler of transactions.
 */
export function textsOf(schema: string): Readonly<Record<Operation, string>> {
  const format = `(select format from ${schema}.wink_journal) as format`;
  const inbox = `count(*) as waiting, coalesce(bool_or(i.kind = 'cancel'), false) as is_cancelled`;
  return {
    // The lease is locked until the rows are written: who takes it over meanwhile waits.
    append: `with lease as materialized (
        select 1 from ${schema}.wink_leases l where session_id = $1 and owner = $2 and epoch = $3::bigint
          and exists (select 1 from ${schema}.wink_journal where format = $18::integer) for no key update of l),
      renewed as (update ${schema}.wink_leases l set until_ms = ${nowOf(5)} + $4::double precision, timeout_ms = $4::double precision
        from lease where session_id = $1 and owner = $2 and epoch = $3::bigint and ${isOver(nowOf(5))}),
      changed as (update ${schema}.wink_runs r set row_count = row_count + $8::integer, updated_at_ms = $9::double precision, status = $10, workspace = $11,
          ready_ms = $12::double precision, summary = $13
        from lease where run_id = $6 and session_id = $1 and row_count = coalesce($7::integer, row_count) returning r.id, row_count),
      created as (insert into ${schema}.wink_runs (run_id, session_id, row_count, updated_at_ms, status, workspace, ready_ms, summary)
        select $6, $1, $8::integer, $9::double precision, $10, $11, $12::double precision, $13 from lease where coalesce($7::integer, 0) = 0 and not exists (select 1 from changed)
        on conflict (run_id) do nothing returning id, row_count),
      run as (select id, row_count from changed union all select id, row_count from created),
      added as (insert into ${schema}.wink_rows (run, seq, type, line)
        select run.id, x.seq, x.type, x.line from run, unnest($14::integer[], $15::text[], $16::text[]) as x (seq, type, line)),
      taken as (update ${schema}.wink_inbox i set taken_seq = run.row_count - 1
        from run where i.run = run.id and i.id = any($17::text[]) and taken_seq is null)
      select ${format}, (select count(*) from lease) as held, run.id, waits.waiting, waits.is_cancelled
      from (select 1) one left join run on true left join lateral (
        select ${inbox} from ${schema}.wink_inbox i where i.run = run.id and taken_seq is null and i.id <> all($17::text[])) waits on true`,
    run: `select ${format}, r.session_id, r.row_count from (select 1) one left join ${schema}.wink_runs r on run_id = $1`,
    read: `select ${format}, x.seq, x.type, x.line from (select 1) one left join ${schema}.wink_rows x
      on run = (select id from ${schema}.wink_runs where run_id = $1) and seq >= $2::integer order by seq`,
    // Epochs are taken in turn, so that they grow for each session although a lease leaves no row when it ends.
    acquire: `with turn as materialized (select pg_advisory_xact_lock(hashtextextended('wink ' || $1::text, 0))),
      before as materialized (select l.owner, l.epoch, l.holder, ${isOver(nowOf(4))} or coalesce(l.owner = $5 and l.epoch = $6::bigint, false) as is_over
        from turn, ${schema}.wink_leases l where session_id = $1 for no key update of l),
      given as (insert into ${schema}.wink_leases as l (session_id, owner, epoch, until_ms, timeout_ms, holder)
        select $1, $2, nextval('${schema}.wink_epochs'), ${nowOf(4)} + $3::double precision, $3::double precision, $7
          from turn where exists (select 1 from ${schema}.wink_journal where format = $8::integer) and not exists (select 1 from before where not is_over)
        on conflict (session_id) do update set owner = excluded.owner, epoch = excluded.epoch, until_ms = excluded.until_ms,
          timeout_ms = excluded.timeout_ms, holder = excluded.holder
          where ${isOver(nowOf(4))} or (l.owner = $5 and l.epoch = $6::bigint) returning epoch)
      select ${format}, (select epoch from given) as epoch, before.owner, before.epoch as former_epoch, before.holder
      from (select 1) one left join before on true`,
    renew: `update ${schema}.wink_leases l set until_ms = ${nowOf(2)} + $1::double precision, timeout_ms = $1::double precision
      from unnest($3::text[], $4::text[], $5::bigint[]) as k (session_id, owner, epoch)
      where l.session_id = k.session_id and l.owner = k.owner and l.epoch = k.epoch returning l.owner`,
    release: `delete from ${schema}.wink_leases where session_id = $1 and owner = $2`,
    revoke: `delete from ${schema}.wink_leases where session_id = $1 returning owner`,
    send: `with run as (select id from ${schema}.wink_runs where run_id = $1),
      added as (insert into ${schema}.wink_inbox (run, id, kind, message) select run.id, $2, $3, $4 from run
        on conflict (run, id) do nothing returning run, kind)
      select ${format}, run.id, waits.waiting, waits.is_cancelled from (select 1) one left join run on true left join lateral (
        select ${inbox} from (select kind from ${schema}.wink_inbox where run = run.id and taken_seq is null union all select kind from added) i) waits on true`,
    messages: `select ${format}, i.message from (select 1) one left join ${schema}.wink_inbox i
      on run = (select id from ${schema}.wink_runs where run_id = $1) and taken_seq is null order by number`,
    inboxes: `select ${format}, waits.waiting, waits.is_cancelled from unnest($1::text[]) with ordinality as k (run_id, place)
      cross join lateral (select ${inbox} from ${schema}.wink_inbox i join ${schema}.wink_runs r on r.id = i.run
        where r.run_id = k.run_id and taken_seq is null) waits order by k.place`,
    holders: `select ${format}, l.holder from (select 1) one left join (
        select distinct holder from ${schema}.wink_leases l where not ${isOver(nowOf(1))}) l on true`,
    lockRun: `select ${format}, r.id, r.session_id from (select 1) one left join lateral (
        select id, session_id from ${schema}.wink_runs where run_id = $1 for update) r on true`,
    lease: `select owner, epoch, holder, ${isOver(nowOf(2))} as is_over from ${schema}.wink_leases l where session_id = $1`,
    remove: `with dropped as (delete from ${schema}.wink_rows where run = $1::bigint), gone as (delete from ${schema}.wink_runs where id = $1::bigint)
      delete from ${schema}.wink_leases where session_id = $2 and owner = $3`,
  };
}

type Operation =
  | 'append'
  | 'run'
  | 'read'
  | 'acquire'
  | 'renew'
  | 'release'
  | 'revoke'
  | 'send'
  | 'messages'
  | 'inboxes'
  | 'holders'
  | 'lockRun'
  | 'lease'
  | 'remove';
