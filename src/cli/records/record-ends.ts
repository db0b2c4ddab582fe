import { type FileHandle, open } from 'node:fs/promises';

/** What the first and the last row of a record say, as far as they are whole. */
export interface RecordEnds {
  /** Undefined: the file does not begin as a record. */
  readonly header: RecordBeginning | undefined;
  /** How the run ended; undefined: it has not, or its process ended first. */
  readonly outcome: string | undefined;
}

/** What the header of a record says of its run. */
export interface RecordBeginning {
  readonly runId: string;
  readonly startedAtMs: number;
  /** The name of the agent, or else of its prompt. */
  readonly agent: string;
}

/** A header holds the params of its run. */
const maxHeaderBytes = 1_048_576;
/** The last row holds the answer: first so many bytes are read from the end of the file, then more where it is longer. */
const tailBytes = [65_536, 4_194_304];

/** Reads the first and the last row of a file, and nothing between them. Rejects with an error of the file system. */
export async function readRecordEnds(path: string): Promise<RecordEnds> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const [first = ''] = (await textAt(file, 0, Math.min(size, maxHeaderBytes))).split('\n', 1);
  const header = headerOf(first);
  if (header === undefined) return { header, outcome: undefined };
  for (const most of tailBytes) {
    const length = Math.min(size, most);
    const outcome = outcomeOf(await textAt(file, size - length, length));
    if (outcome !== undefined || length === size) return { header, outcome };
  }
  return { header, outcome: undefined };
}

async function textAt(file: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, position);
  return new TextDecoder().decode(buffer.subarray(0, bytesRead));
}

function headerOf(line: string): RecordBeginning | undefined {
  const row = rowOf(line);
  if (row?.['type'] !== 'header') return undefined;
  const { agent, promptName, runId, startedAtMs } = row;
  if (typeof runId !== 'string' || typeof startedAtMs !== 'number') return undefined;
  const name = typeof agent === 'string' ? agent : promptName;
  return { runId, startedAtMs, agent: typeof name === 'string' ? name : '' };
}

/** The outcome in the last row that ends the root run. */
function outcomeOf(tail: string): string | undefined {
  for (const line of tail.split('\n').toReversed()) {
    // A row of an inner run has its number before the outcome.
    const outcome = /^\{"type":"end","t":\d+(?:\.\d+)?,"outcome":"([a-z-]{1,30})"/.exec(line)?.[1];
    if (outcome !== undefined) return outcome;
  }
  return undefined;
}

function rowOf(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    // An object has members of any kind.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
