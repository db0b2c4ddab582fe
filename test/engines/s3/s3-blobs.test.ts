import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { RunJournal } from 'weakincentives';
import { type BlobStore, type S3BlobClient, s3Blobs } from 'weakincentives/durable';
import { createManualClock, memoryJournal } from 'weakincentives/testing';
import { journalWithBlobs } from '../../../src/durable/blobs/index.ts';
import { runJournalContract, summaryOf } from '../../contract/run-journal.ts';
import { removeTestFolder } from '../../support/ordinary-user.ts';
import { loadPeer, missingPeers, peerSuite } from '../support/peers.ts';

interface S3rver {
  readonly store: { deleteObject(bucket: string, key: string): Promise<void> };
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
}

type AwsSdk = {
  readonly S3: new (options: object) => S3BlobClient & { destroy(): void };
};

/** The server removes objects and their empty folders at the same time, and fails when a folder is gone that it looks into. */
function removeInTurn({ store }: S3rver): void {
  const remove = store.deleteObject.bind(store);
  let last = Promise.resolve();
  store.deleteObject = (bucket, key) => {
    last = last
      .then(() => remove(bucket, key))
      .catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      });
    return last;
  };
}

const missing = missingPeers('s3rver', '@aws-sdk/client-s3');
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe.skipIf(missing !== undefined)(
  peerSuite('s3Blobs, with the client of the AWS SDK and a server of S3', missing),
  () => {
    let server: S3rver;
    let client: S3BlobClient & { destroy(): void };
    const folder = mkdtempSync(join(tmpdir(), 's3-'));
    let prefixes = 0;
    let store: Required<BlobStore>;

    beforeAll(async () => {
      const { default: Server } = await loadPeer<{ readonly default: new (options: object) => S3rver }>(
        's3rver',
      );
      const { S3 } = await loadPeer<AwsSdk>('@aws-sdk/client-s3');
      server = new Server({
        port: 0,
        address: '127.0.0.1',
        silent: true,
        directory: folder,
        configureBuckets: [{ name: 'runs' }],
      });
      removeInTurn(server);
      const { port } = await server.run();
      client = new S3({
        endpoint: `http://127.0.0.1:${port}`,
        region: 'us-east-1',
        forcePathStyle: true,
        maxAttempts: 1,
        // The server ends connections that are kept for some seconds, just when they are used again.
        requestHandler: { httpAgent: { keepAlive: false } },
        credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
      });
    });
    afterAll(async () => {
      client.destroy();
      await server.close();
      removeTestFolder(folder);
    });
    beforeEach(() => {
      prefixes += 1;
      const { list, ...rest } = s3Blobs({ client, bucket: 'runs', prefix: `test-${prefixes}/` });
      if (list === undefined) throw new Error('A list was expected.');
      store = { ...rest, list };
    });

    it('puts, gets, lists and removes contents below its prefix', async () => {
      expect(await store.get('a/b')).toBeUndefined();
      await store.put('a/b', bytesOf('one'));
      await store.put('a/b', bytesOf('two'));
      await store.put('a/c/d', bytesOf(''));
      await store.put('ab/e', bytesOf('other'));
      expect(await store.get('a/b')).toEqual(bytesOf('two'));
      expect([...(await store.list('a/'))].sort()).toEqual(['a/b', 'a/c/d']);
      const others = s3Blobs({ client, bucket: 'runs', prefix: 'others/' });
      expect(await others.get('a/b')).toBeUndefined();
      await store.remove(['a/b', 'a/c/d', 'unknown']);
      expect(await store.list('a/')).toEqual([]);
      expect(await store.list('ab/')).toEqual(['ab/e']);
      await store.remove([]);
    });

    it('rejects where the bucket is missing', async () => {
      const none = s3Blobs({ client, bucket: 'none' });
      await expect(none.put('a', bytesOf('x'))).rejects.toMatchObject({ name: 'NoSuchBucket' });
      await expect(none.get('a')).rejects.toMatchObject({ name: 'NoSuchBucket' });
    });

    describe('as the store of a journal', () => {
      const open = (): RunJournal => {
        const journal = Object.assign(memoryJournal(), { [Symbol.asyncDispose]: async () => undefined });
        return journalWithBlobs(journal, { store, maxRowCharacters: 0 }, { clock: createManualClock() });
      };

      runJournalContract(open);

      it('keeps a row of 20 MB', async () => {
        const journal = open();
        const lease = await journal.acquire('s');
        const row = { seq: 0, type: 'blob', line: JSON.stringify('å'.repeat(10_000_000)) };
        await journal.append({ runId: 'r', rows: [row], summary: summaryOf() }, lease);
        const [read] = await journal.read('r');
        expect(read?.line === row.line).toBe(true);
        await journal.remove('r', lease);
      });
    });
  },
);
