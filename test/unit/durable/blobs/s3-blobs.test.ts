import { describe, expect, it } from 'vitest';
import { type S3BlobClient, s3Blobs } from 'weakincentives/durable';

/** A client that answers with pages of two keys, and keeps what it was asked to delete. */
function openClient(keys: readonly string[] = []) {
  const deleted: (readonly string[])[] = [];
  const client: Required<S3BlobClient> = {
    putObject: async () => ({}),
    getObject: async () => ({}),
    deleteObjects: async ({ Delete }) => {
      deleted.push(Delete.Objects.map(({ Key }) => Key));
      return {};
    },
    listObjectsV2: async ({ Prefix, ContinuationToken = '0' }) => {
      const found = keys.filter((key) => key.startsWith(Prefix));
      const from = Number(ContinuationToken);
      const Contents = found.slice(from, from + 2).map((Key) => ({ Key }));
      return { Contents, NextContinuationToken: from + 2 < found.length ? String(from + 2) : undefined };
    },
  };
  return { client, deleted };
}

describe('s3Blobs', () => {
  it('lists page by page, without its prefix', async () => {
    const { client } = openClient(['p/a/1', 'p/a/2', 'p/a/3', 'p/a/4', 'p/a/5', 'p/b/1', 'a/1']);
    const store = s3Blobs({ client, bucket: 'b', prefix: 'p/' });
    expect(await store.list?.('a/')).toEqual(['a/1', 'a/2', 'a/3', 'a/4', 'a/5']);
    expect(await store.list?.('none/')).toEqual([]);
  });

  it('removes at most a thousand keys with one request', async () => {
    const { client, deleted } = openClient();
    const keys = Array.from({ length: 2_001 }, (_, at) => `k/${at}`);
    await s3Blobs({ client, bucket: 'b', prefix: 'p/' }).remove(keys);
    expect(deleted.map(({ length }) => length)).toEqual([1_000, 1_000, 1]);
    expect(deleted.flat()).toEqual(keys.map((key) => `p/${key}`));
    await s3Blobs({ client, bucket: 'b' }).remove([]);
    expect(deleted).toHaveLength(3);
  });

  it('rejects when something was not deleted', async () => {
    const { client } = openClient();
    const refusing = { ...client, deleteObjects: async () => ({ Errors: [{ Code: 'AccessDenied' }, {}] }) };
    const store = s3Blobs({ client: refusing, bucket: 'b' });
    await expect(store.remove(['a'])).rejects.toThrow('2 objects were not deleted: AccessDenied');
  });

  it.each([
    ['name', Object.assign(new Error('none'), { name: 'NoSuchKey' })],
    ['code', Object.assign(new Error('none'), { code: 'NoSuchKey' })],
  ])('has nothing under a key when the client says so by its %s', async (_, error) => {
    const { client } = openClient();
    const getObject = () => Promise.reject(error);
    expect(await s3Blobs({ client: { ...client, getObject }, bucket: 'b' }).get('a')).toBeUndefined();
  });

  it('lets through what else a client rejects with', async () => {
    const { client } = openClient();
    const getObject = () => Promise.reject(new Error('AccessDenied'));
    await expect(s3Blobs({ client: { ...client, getObject }, bucket: 'b' }).get('a')).rejects.toThrow(
      'AccessDenied',
    );
  });

  it('has no list where the client has none, and refuses unknown options', () => {
    const { listObjectsV2: _none, ...client } = openClient().client;
    expect(s3Blobs({ client, bucket: 'b' }).list).toBeUndefined();
    // @ts-expect-error -- It has another name.
    expect(() => s3Blobs({ client, Bucket: 'b' })).toThrow(/Bucket/);
    // @ts-expect-error -- It is missing.
    expect(() => s3Blobs({ client })).toThrow(/bucket/);
  });
});
