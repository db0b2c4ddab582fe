import type { BlobStore } from 'weakincentives/durable';

/** What goes wrong with one use of a store: it rejects, forgets what was put or puts something else, never answers, or does its work and rejects then. */
export type BlobFault = 'throw' | 'lose' | 'corrupt' | 'hang' | 'answer-lost';

/** A store in memory. */
export interface MemoryBlobs extends Required<BlobStore> {
  readonly contents: Map<string, Uint8Array>;
  /** What it was asked, such as `put`, in order. */
  readonly asked: string[];
  /** What goes wrong next, by method, one use after the other. */
  readonly faults: Partial<Record<keyof BlobStore, (BlobFault | undefined)[]>>;
}

export function memoryBlobs(): MemoryBlobs {
  const contents = new Map<string, Uint8Array>();
  const asked: string[] = [];
  const faults: MemoryBlobs['faults'] = {};
  const use = async <T>(method: keyof BlobStore, work: (fault: BlobFault | undefined) => T): Promise<T> => {
    asked.push(method);
    const fault = faults[method]?.shift();
    if (fault === 'throw') throw new Error('the bucket is away');
    if (fault === 'hang') return new Promise<never>(() => undefined);
    const result = work(fault);
    if (fault === 'answer-lost') throw new Error('the answer is lost');
    return result;
  };
  return {
    contents,
    asked,
    faults,
    put: (key, bytes) =>
      use('put', (fault) => {
        if (fault !== 'lose') contents.set(key, fault === 'corrupt' ? bytes.slice(1) : bytes.slice());
      }),
    get: (key) =>
      use('get', (fault) => {
        const found = fault === 'lose' ? undefined : contents.get(key);
        return fault === 'corrupt' ? found?.map((byte) => byte + 1) : found;
      }),
    remove: (keys) =>
      use('remove', () => {
        for (const key of keys) contents.delete(key);
      }),
    list: (prefix) => use('list', () => [...contents.keys()].filter((key) => key.startsWith(prefix))),
  };
}
