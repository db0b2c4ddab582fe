import { SchemaError } from '../error/index.ts';
import { compileSchema, describeIssues, freezeJson, parseInputSync } from '../schema/index.ts';
import type { AnyEvent } from './event.ts';

/**
 * Validates and deep-freezes a payload.
 * @throws {SchemaError} code `value-invalid` listing what is wrong, or `value-not-json`.
 */
export function parsePayload(event: AnyEvent, payload: unknown): unknown {
  const what = `payload of event ${event.name}`;
  if (event.schema === undefined) return freezeJson(payload, what);
  const outcome = parseInputSync(compileSchema(event.schema), payload);
  if (outcome.ok) return freezeJson(outcome.value, what);
  throw new SchemaError('value-invalid', `The ${what} is not valid:\n${describeIssues(outcome.issues)}`, {
    details: { event: event.name, issues: outcome.issues },
  });
}
