import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from 'weakincentives/testing';
import { PodmanClient } from '../../../../../src/host/sandbox/podman/podman-client.ts';
import { PodmanRequestError } from '../../../../../src/host/sandbox/podman/podman-error.ts';

let folder = '';
const open: { readonly server: Server; readonly sockets: Duplex[] }[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wink-podman-client-'));
});

afterEach(async () => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
  rmSync(folder, { recursive: true });
});

async function serve(listener: RequestListener, upgrade?: (socket: Duplex) => void): Promise<PodmanClient> {
  const server = createServer(listener);
  const sockets: Duplex[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  if (upgrade !== undefined) server.on('upgrade', (_request, socket) => upgrade(socket));
  const path = join(folder, 'podman.sock');
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  open.push({ server, sockets });
  return new PodmanClient(path);
}

const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => (error instanceof PodmanRequestError ? [error.message, error.status] : error),
  );

describe('PodmanClient', () => {
  it('sends JSON, and returns the answer', async () => {
    const client = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => response.end(JSON.stringify([request.method, request.url, body])));
    });
    expect(await client.send({ method: 'POST', path: '/x?y=1', body: { a: 'é' } })).toStrictEqual([
      'POST',
      '/v4.0.0/libpod/x?y=1',
      '{"a":"é"}',
    ]);
  });

  it.each([
    [200, 'OK', true],
    [404, 'page not found', false],
    [500, '{"message":"broken"}', false],
  ])('finds out whether Podman answers: %i %s', async (status, body, expected) => {
    const client = await serve((request, response) => {
      response.writeHead(request.url === '/v4.0.0/libpod/_ping' ? status : 400).end(body);
    });
    expect(await client.answers(undefined)).toBe(expected);
    await expect(client.answers(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    expect(await new PodmanClient(join(folder, 'none.sock')).answers(undefined)).toBe(false);
  });

  it('returns undefined for an empty answer', async () => {
    const client = await serve((_request, response) => response.writeHead(204).end());
    expect(await client.send({ method: 'DELETE', path: '/x' })).toBeUndefined();
  });

  it.each([
    [409, '{"message":"in use","cause":"busy"}', ['in use', 409]],
    [500, '<html>', ['it answered with the status 500', 500]],
    [500, '{"message":3}', ['it answered with the status 500', 500]],
    [200, '{"half":', ['its answer is not JSON', undefined]],
  ])('reports the status %i with the body %s', async (status, body, expected) => {
    const client = await serve((_request, response) => response.writeHead(status).end(body));
    expect(await failureOf(client.send({ method: 'GET', path: '/x' }))).toStrictEqual(expected);
    expect((await failureOf(client.attach('id', false))) === 'no failure').toBe(false);
  });

  it('reports an answer that breaks off', async () => {
    const client = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"half":', () => response.destroy());
    });
    expect(await failureOf(client.send({ method: 'GET', path: '/x' }))).toStrictEqual([
      'its service does not answer (ECONNRESET)',
      undefined,
    ]);
  });

  it('reports a service that is not there, without its path', async () => {
    const client = new PodmanClient(join(folder, 'none.sock'));
    expect(await failureOf(client.send({ method: 'GET', path: '/x' }))).toStrictEqual([
      'its service does not answer (ENOENT)',
      undefined,
    ]);
  });

  it('rejects with the reason of the signal', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const client = await serve(() => controller.abort(reason));
    await expect(client.send({ method: 'GET', path: '/x', signal: controller.signal })).rejects.toBe(reason);
  });

  it('ends a request that a service does not answer, or does not answer to its end', async () => {
    const clock = createManualClock();
    const path = join(folder, 'podman.sock');
    await serve(
      (request, response) => {
        if (request.url?.endsWith('/half') !== true) return clock.advance(300_000);
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"half":', () => clock.advance(300_000));
      },
      () => clock.advance(300_000),
    );
    const client = new PodmanClient(path, clock);
    expect(await failureOf(client.send({ method: 'GET', path: '/x' }))).toStrictEqual([
      'its service does not answer (ETIMEDOUT)',
      undefined,
    ]);
    expect(await failureOf(client.send({ method: 'GET', path: '/half' }))).toStrictEqual([
      expect.stringMatching(/^its service does not answer \(E[A-Z]+\)$/),
      undefined,
    ]);
    expect(await failureOf(client.attach('id', false))).toStrictEqual([
      'its service does not answer (ETIMEDOUT)',
      undefined,
    ]);
    expect(clock.pending).toBe(0);
  });

  it('limits no stream, and keeps no timer', async () => {
    const clock = createManualClock();
    const served = await serve(
      (_request, response) => response.end('{}'),
      (socket) => socket.write('HTTP/1.1 101 UPGRADED\r\nconnection: Upgrade\r\nupgrade: tcp\r\n\r\n'),
    );
    void served;
    const client = new PodmanClient(join(folder, 'podman.sock'), clock);
    await client.send({ method: 'GET', path: '/x' });
    const { stream } = await client.attach('id', false);
    expect(clock.pending).toBe(0);
    stream.destroy();
  });

  it('opens the stream of a container, with what came along', async () => {
    const client = await serve(
      () => undefined,
      (socket) => {
        socket.write('HTTP/1.1 101 UPGRADED\r\nconnection: Upgrade\r\nupgrade: tcp\r\n\r\nfirst');
        socket.on('data', (chunk: Buffer) => socket.end(`got ${chunk.toString()}`));
      },
    );
    const { stream, head } = await client.attach('id', true);
    stream.write('input');
    const chunks: Buffer[] = [head];
    for await (const chunk of stream) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe('firstgot input');
  });
});
