import { isRecord } from '../../core/internal/index.ts';
import { reasonOf } from '../process/errors.ts';

/** What to do, by the code of Node or PostgreSQL. */
const advice: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start the database, or correct the host and the port of the address',
  ENOTFOUND: 'Correct the host of the address',
  EAI_AGAIN: 'Correct the host of the address, or try again: names cannot be looked up at the moment',
  ETIMEDOUT: 'Correct the host and the port of the address, or open the firewall between them',
  // invalid_password, invalid_authorization_specification
  '28P01': 'Correct the user and the password: in the address, PGPASSWORD or ~/.pgpass',
  '28000': 'Name a user who may connect: postgres://USER@HOST/DATABASE',
  // invalid_catalog_name
  '3D000': 'Create it with "createdb", or correct the name at the end of the address',
};
/** What `pg` says of itself, without a code. */
const adviceOfClient: readonly (readonly [RegExp, string])[] = [
  [/client password must be/, 'The server wants a password: in the address, PGPASSWORD or ~/.pgpass'],
  [/timeout exceeded when trying to connect|connection timeout/, advice['ETIMEDOUT'] ?? ''],
];
const maxCauses = 5;

/** Why a database could not be used, and what to do where that is known, as sentences. Printable. */
export function databaseProblem(error: unknown): string {
  let cause: unknown = error;
  for (let depth = 0; depth < maxCauses && isRecord(cause); depth += 1) {
    const { code } = cause;
    const reason = reasonOf(cause);
    const known = typeof code === 'string' ? advice[code] : undefined;
    const found = known ?? adviceOfClient.find(([pattern]) => pattern.test(reason))?.[1];
    if (found !== undefined) return `${reason}. ${found}.`;
    cause = cause['cause'];
  }
  return `${reasonOf(error)}.`;
}
