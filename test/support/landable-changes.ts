import { createHash } from 'node:crypto';
import type { FileChange, FileContent, LandableChange } from '../../src/core/filesystem/index.ts';

type Content = NonNullable<LandableChange['after']>;

/** The changes of a call as rows have them: with copies of all contents. Call it before they are applied. */
export function landableChanges(changes: readonly FileChange[]): readonly LandableChange[] {
  return changes.map(({ before, after, ...rest }) => ({
    ...rest,
    ...(before === undefined ? {} : { before: recorded(before) }),
    ...(after === undefined ? {} : { after: recorded(after) }),
  }));
}

/** A content of which nobody knows what it was, such as that of a link that leads nowhere, has no hash. */
function recorded(content: FileContent): Content {
  let data: Uint8Array;
  try {
    data = content.data();
  } catch {
    const unknown = (): never => {
      throw new Error('the content is not known');
    };
    return { hash: '', bytes: content.bytes, data: unknown };
  }
  const hash = createHash('sha256').update(data).digest('hex');
  return { hash, bytes: data.byteLength, data: () => data.slice() };
}
