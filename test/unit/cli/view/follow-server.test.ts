import { readFileSync } from 'node:fs';
import { appendFile, mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CliInterruption } from '../../../../src/cli/process/environment.ts';
import {
  type FollowServer,
  type SendRows,
  startFollowServer,
} from '../../../../src/cli/view/follow-server.ts';
import { tailRecord } from '../../../../src/cli/view/tail-record.ts';
import { viewCommand } from '../../../../src/cli/view/view-command.ts';
import { servedPage, viewerPage } from '../../../../src/cli/view/viewer-page.ts';
import { fakeEnvironment } from '../support.ts';

const page = servedPage(
  viewerPage(
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'"><meta name="wink-file" content="run.jsonl"><script id="record"></script>',
  ),
);
const record = readFileSync(new URL('../../../fixtures/runs/fix-issue.jsonl', import.meta.url), 'utf8');
const header = record.slice(0, record.indexOf('\n') + 1);

let folder = '';
let server: FollowServer | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wink-follow-test-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Place {
  readonly port: number;
  readonly token: string;
}

async function serve(rows: SendRows = async (send) => send(Buffer.from('{"a":1}\n'))): Promise<Place> {
  server = await startFollowServer(page, rows);
  return placeOf(server.address);
}

function placeOf(address: string): Place {
  const { hostname, port, hash } = new URL(address);
  expect(hostname).toBe('127.0.0.1');
  return { port: Number(port), token: hash.slice('#token='.length) };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

function ask(
  { port }: Place,
  path: string,
  options: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {} } = options;
    const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('the server of wink view --follow', () => {
  it('serves the page without data, under a policy, and keeps nothing', async () => {
    const { status, headers, body } = await ask(await serve(), '/');
    expect([status, body]).toEqual([200, page.head + page.tail]);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('serves rows for the token only', async () => {
    const place = await serve();
    const { token } = place;
    expect(token.length).toBeGreaterThanOrEqual(32);
    expect(await ask(place, '/rows', { headers: { 'x-wink-token': token } })).toMatchObject({
      status: 200,
      body: '{"a":1}\n',
    });
    for (const headers of [
      {},
      { 'x-wink-token': '' },
      { 'x-wink-token': `${token}x` },
      { 'x-wink-token': 'x'.repeat(token.length) },
    ]) {
      expect(await ask(place, '/rows', { headers: { ...headers } })).toMatchObject({ status: 401 });
    }
    expect(await ask(place, `/rows?token=${token}`)).toMatchObject({ status: 401 });
  });

  it('has another token and another port each time', async () => {
    const first = await serve();
    await server?.close();
    const second = await serve();
    expect(second.token).not.toBe(first.token);
  });

  it.each(['evil.example', 'localhost', '127.0.0.1', '127.0.0.1:1'])(
    'refuses the host "%s"',
    async (host) => {
      const place = await serve();
      for (const path of ['/', '/rows']) {
        const { status, body } = await ask(place, path, { headers: { host, 'x-wink-token': place.token } });
        expect([status, body]).toEqual([403, 'Only this address is served.\n']);
      }
    },
  );

  it.each(['http://evil.example', 'null', 'https://127.0.0.1'])('refuses the origin "%s"', async (origin) => {
    const place = await serve();
    const headers = { origin, 'x-wink-token': place.token };
    expect(await ask(place, '/rows', { headers })).toMatchObject({ status: 403 });
    const own = { origin: `http://127.0.0.1:${place.port}`, 'x-wink-token': place.token };
    expect(await ask(place, '/rows', { headers: own })).toMatchObject({ status: 200 });
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'])('refuses %s', async (method) => {
    const place = await serve();
    const answer = await ask(place, '/rows', { method, headers: { 'x-wink-token': place.token } });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET']);
  });

  it('has nothing else', async () => {
    const place = await serve();
    for (const path of ['/favicon.ico', '/../../etc/passwd', '/rows/', '//rows'])
      expect(await ask(place, path)).toMatchObject({ status: 404 });
  });

  it('listens on no other address', async () => {
    const { port } = await serve();
    const other = await new Promise<string>((resolve) => {
      const socket = connect({ host: '::1', port });
      socket.on('connect', () => resolve('connected'));
      socket.on('error', () => resolve('refused'));
    });
    expect(other).toBe('refused');
  });

  it('limits how many read at once', async () => {
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      let left = 16;
      begin = () => {
        left -= 1;
        if (left === 0) resolve();
      };
    });
    const place = await serve(async (_send, signal) => {
      begin();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    const headers = { 'x-wink-token': place.token };
    const readers = Array.from({ length: 16 }, () => ask(place, '/rows', { headers }).catch(() => undefined));
    await begun;
    expect(await ask(place, '/rows', { headers })).toMatchObject({ status: 503 });
    await server?.close();
    await Promise.all(readers);
  });

  it('waits for a slow reader without a listener for each wait', async () => {
    const warnings: string[] = [];
    const warn = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', warn);
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    const place = await serve(async (send) => {
      for (let sent = 0; sent < 24; sent += 1) await send(chunk);
    });
    const { body } = await ask(place, '/rows', { headers: { 'x-wink-token': place.token } });
    process.off('warning', warn);
    expect(body.length).toBe(24 * chunk.length);
    expect(warnings).toEqual([]);
  });

  it('sends nothing to a reader that has gone, and does not wait for it', async () => {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const place = await serve(async (send, signal) => {
      await send(Buffer.from('{"a":1}\n'));
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await send(Buffer.alloc(1024 * 1024));
      end();
    });
    const headers = { 'x-wink-token': place.token };
    const sent = httpRequest({ host: '127.0.0.1', port: place.port, path: '/rows', headers }, (response) =>
      response.once('data', () => sent.destroy()).once('error', () => undefined),
    );
    sent.once('error', () => undefined).end();
    await expect(ended).resolves.toBeUndefined();
  });
});

describe('tailRecord', () => {
  it('sends what is there and what is appended, and ends when the file becomes shorter', async () => {
    const path = join(folder, 'tail.jsonl');
    await writeFile(path, 'one\n');
    const file = await open(path, 'r');
    const steps = [
      () => appendFile(path, 'two\n'),
      () => appendFile(path, 'thr'),
      () => appendFile(path, 'ee\n'),
      () => truncate(path, 2),
    ];
    // The file changes each time the tail waits.
    const after = (_ms: number, callback: () => void): (() => void) => {
      const step = steps.shift();
      if (step === undefined) throw new Error('It waits once more.');
      void step().then(callback);
      return () => undefined;
    };
    let text = '';
    await tailRecord(file, after)(async (bytes) => {
      text += Buffer.from(bytes).toString();
    }, new AbortController().signal);
    await file.close();
    expect(text).toBe('one\ntwo\nthree\n');
  });

  it('ends when it is stopped while it waits', async () => {
    const path = join(folder, 'stop.jsonl');
    await writeFile(path, 'one\n');
    const file = await open(path, 'r');
    const stop = new AbortController();
    const after = (): (() => void) => {
      stop.abort();
      return () => undefined;
    };
    await tailRecord(file, after)(async () => undefined, stop.signal);
    await file.close();
    expect(stop.signal.aborted).toBe(true);
  });
});

describe('wink view --follow', () => {
  async function follow(interruption: unknown) {
    const path = join(folder, 'follow.jsonl');
    await writeFile(path, header);
    const stop = new AbortController();
    const environment = fakeEnvironment({ signal: stop.signal });
    const opened: string[] = [];
    let answer: Answer | undefined;
    const request = {
      kind: 'view',
      file: path,
      journalNames: undefined,
      out: undefined,
      isOpened: true,
      isFollowing: true,
      isVerbose: false,
    } as const;
    const ended = viewCommand(request, environment, {
      readPage: async () => page,
      open: async (file) => {
        opened.push(file);
        answer = await ask(placeOf(environment.stdout.text().trim()), '/');
        stop.abort(interruption);
        return undefined;
      },
    });
    return { ended, opened, environment, answer: () => answer };
  }

  it('prints the address, opens it through a private file, and ends in order when it is interrupted', async () => {
    const { ended, opened, environment, answer } = await follow(new CliInterruption('interrupted', 130));
    expect(await ended).toBe(0);
    expect(answer()?.status).toBe(200);
    // The address holds the token: no process gets it as an argument.
    expect(opened).toEqual([expect.stringMatching(/open\.html$/)]);
    await expect(ask(placeOf(environment.stdout.text().trim()), '/')).rejects.toThrow('ECONNREFUSED');
    await rm(join(opened[0] ?? '', '..'), { recursive: true });
  });

  it('fails when it is terminated', async () => {
    const { ended, opened } = await follow(new CliInterruption('terminated', 143));
    await expect(ended).rejects.toThrow('terminated');
    await rm(join(opened[0] ?? '', '..'), { recursive: true });
  });
});
