import { describeError, SchemaError, SnapshotError } from '../../error/index.ts';
import { isRecord, present, startOf } from '../../internal/index.ts';
import {
  compileSchema,
  constant,
  copyUntrustedJson,
  described,
  describeIssues,
  dictionary,
  flag,
  integer,
  type JsonObject,
  type JsonValue,
  json,
  list,
  milliseconds,
  optional,
  parseInputSync,
  record,
  recordSchema,
  text,
} from '../../schema/index.ts';
import { exportFormat, exportVersion, type SessionExport } from './session-export.ts';

const defaultMaxValues = 10_000_000;

const filled = described(text, { minLength: 1 });

const sessionExport = compileSchema(
  recordSchema({
    format: constant(exportFormat),
    version: constant(exportVersion),
    id: filled,
    parentId: optional(filled),
    childIds: list(text),
    tags: dictionary(text),
    createdAtMs: milliseconds,
    exportedAtMs: milliseconds,
    includesLogs: flag,
    slices: list(record({ name: filled, version: described(integer, { minimum: 1 }), items: list(json()) })),
  }),
);

/**
 * Takes in what should be the export of a session, as a frozen copy. Items are only known to be JSON afterwards.
 * @throws {SnapshotError} codes `snapshot-malformed`, `snapshot-version-unsupported`.
 */
export function readSessionExport(value: unknown, maxValues: number = defaultMaxValues): SessionExport {
  const copy = copyExport(value, maxValues);
  const { format, version } = copy;
  if (format !== exportFormat) {
    throw malformed(
      `its "format" is ${describeValue(format)}, not ${JSON.stringify(exportFormat)}. Pass what exportState() returned, parsed`,
    );
  }
  if (version !== exportVersion) {
    throw new SnapshotError(
      'snapshot-version-unsupported',
      `The export of a session has format version ${describeValue(version)}; this version of the library reads ${exportVersion}. Use the library that wrote it, or a later one.`,
      { details: { version } },
    );
  }
  // Items belong to their slices; only the frame is checked here.
  const outcome = parseInputSync(sessionExport, withoutItems(copy));
  if (!outcome.ok) {
    throw malformed(`it has another shape:\n${describeIssues(outcome.issues)}`, { issues: outcome.issues });
  }
  // The frame has just been validated; items are JSON by the copy.
  const read = copy as unknown as SessionExport;
  assertDifferent(read.slices.map(({ name }) => name));
  return read;
}

function copyExport(value: unknown, maxValues: number): JsonObject {
  let copy: JsonValue;
  try {
    copy = copyUntrustedJson(value, 'the export of a session', maxValues);
  } catch (cause) {
    throw malformed(describeError(cause), SchemaError.isInstance(cause) ? cause.details : {}, cause);
  }
  if (isRecord(copy)) return copy;
  throw malformed(
    typeof copy === 'string'
      ? 'it is a text. Parse the text with JSON.parse first'
      : `it is ${describeValue(copy)}`,
  );
}

function withoutItems(value: JsonObject): JsonValue {
  const { slices } = value;
  if (!Array.isArray(slices)) return value;
  const frames = slices.map(
    (slice: JsonValue): JsonValue =>
      isRecord(slice) && Array.isArray(slice['items']) ? { ...slice, items: [] } : slice,
  );
  return { ...value, slices: frames };
}

function assertDifferent(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw malformed(`it lists slice ${twice} twice`, { slice: twice });
}

function describeValue(value: JsonValue | undefined): string {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : startOf(JSON.stringify(value), 80);
}

function malformed(
  problem: string,
  details: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): SnapshotError {
  return new SnapshotError(
    'snapshot-malformed',
    `This is not a readable export of a session: ${problem.replace(/\.$/, '')}.`,
    {
      details,
      ...present({ cause }),
    },
  );
}
