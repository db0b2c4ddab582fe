import type { MemoryFilesystem, Session } from 'weakincentives';
import { Sayings } from './stored-run.ts';

/** What is left of the stored run when it has its answer. */
export interface StoredEnd {
  readonly text: string;
  readonly output: unknown;
  /** The items of the STATE slices, by name. */
  readonly state: Readonly<Record<string, readonly unknown[]>>;
  readonly sayings: readonly unknown[];
  /** Base64 of each file, by path. */
  readonly files: Readonly<Record<string, string>>;
}

interface Ended {
  readonly response: { readonly text: string; readonly output: unknown };
  readonly session: Session;
  readonly filesystem: MemoryFilesystem;
}

/** What is to be the same, however often the run was interrupted, and with whichever version it went on. */
export async function endOf({ response, session, filesystem }: Ended): Promise<StoredEnd> {
  const { paths } = await filesystem.glob('**/*');
  const contents: Record<string, string> = {};
  for (const path of paths) contents[path] = Buffer.from(await filesystem.readBytes(path)).toString('base64');
  return {
    text: response.text,
    output: response.output,
    state: Object.fromEntries(
      session
        .exportState()
        // It has times.
        .slices.filter(({ name }) => name !== 'weakincentives.feedback')
        .map(({ name, items }) => [name, items.map(withoutEvaluation)]),
    ),
    sayings: session.slice(Sayings).all(),
    files: contents,
  };
}

/** An item without the ids of evaluations, which are random. */
const withoutEvaluation = (item: unknown): unknown =>
  JSON.parse(JSON.stringify(item, (key, value: unknown) => (key === 'evaluationId' ? undefined : value)));
