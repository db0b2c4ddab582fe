import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { presentProcess } from '../../../../../src/host/lock/process-identity.ts';
import {
  ownerLabels,
  removeContainer,
  removeLeftovers,
} from '../../../../../src/host/sandbox/podman/owner.ts';
import { draws } from '../../../../support/draws.ts';
import { fakeService, refuse } from './fake-service.ts';

const ownerLabel = 'dev.weakincentives.owner';
const present = presentProcess();
/** More than the largest number of a process. */
const noPid = 4_194_305;

interface Container {
  readonly label: string | undefined;
  readonly isLeft: boolean;
}

/** A process that certainly has ended. */
const dead: fc.Arbitrary<object> = fc.constantFrom(
  { ...present, pid: noPid },
  { ...present, pid: noPid, startedAt: '' },
  // A later process has its number; where start times are unknown, it may be the same one.
  ...(present.startedAt === '' ? [] : [{ ...present, startedAt: `${present.startedAt}1` }]),
);

/** A process that is alive, or may be. */
const alive: fc.Arbitrary<object> = fc.constantFrom(
  present,
  { ...present, startedAt: '' },
  { ...present, pid: process.ppid, startedAt: '' },
  // Where nothing can be seen from here.
  { ...present, pid: noPid, host: 'another-host' },
  { ...present, space: present.space.replace(/pid:.*/, 'pid:[1]'), pid: noPid },
  { ...present, space: `another ${present.space}`, pid: noPid },
  { ...present, space: '', pid: noPid },
);

const broken: fc.Arbitrary<string | undefined> = fc.oneof(
  fc.constantFrom(undefined, '', '{', 'null', '[]', '3', '{}'),
  fc
    .record({
      host: fc.constantFrom<unknown>(present.host, 3, null),
      startedAt: fc.constantFrom<unknown>('', 5, null),
      pid: fc.constantFrom<unknown>(-1, 0, 1.5, '7', null, Number.MAX_SAFE_INTEGER + 1),
      space: fc.constantFrom<unknown>(present.space, 3),
    })
    .map((owner) => JSON.stringify(owner)),
  fc.string(),
);

const container: fc.Arbitrary<Container> = fc.oneof(
  dead.map((owner) => ({ label: JSON.stringify(owner), isLeft: false })),
  alive.map((owner) => ({ label: JSON.stringify(owner), isLeft: true })),
  broken.map((label) => ({ label, isLeft: true })),
);

const listed = (containers: readonly Container[]) =>
  containers.map(({ label }, index) => ({
    Id: `c${index}`,
    Labels: label === undefined ? {} : { [ownerLabel]: label },
  }));

describe('removeLeftovers', () => {
  it('removes exactly the containers whose process has certainly ended, whatever else there is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(container, { maxLength: 8 }), async (containers) => {
        await using service = await fakeService({ containers: listed(containers) });
        await removeLeftovers(service.client, undefined);
        const removed = service.received.flatMap(({ step, path }) =>
          step === 'remove' ? [/^\/containers\/(c\d+)\?force=true&timeout=0&v=true$/.exec(path)?.[1]] : [],
        );
        expect(removed).toStrictEqual(
          containers.flatMap(({ isLeft }, index) => (isLeft ? [] : [`c${index}`])),
        );
      }),
      { numRuns: draws(60) },
    );
  });

  it('never removes a container of this process', async () => {
    const own = { Id: 'own', Labels: ownerLabels() };
    await using service = await fakeService({ containers: [own] });
    await removeLeftovers(service.client, undefined);
    expect(service.received.map(({ step }) => step)).toStrictEqual(['list']);
  });

  it('asks for containers with our label only', async () => {
    await using service = await fakeService();
    await removeLeftovers(service.client, undefined);
    expect(service.received.map(({ path }) => decodeURIComponent(path))).toStrictEqual([
      `/containers/json?all=true&filters={"label":["${ownerLabel}"]}`,
    ]);
  });

  it.each([
    ['no list', [null, 3, { Id: 5, Labels: {} }, { Id: 'x' }, { Labels: ownerLabels() }]],
    ['an answer of another form', { message: 'x' }],
  ])('ignores %s', async (_what, containers) => {
    await using service = await fakeService({
      answer: ({ step }, response) => {
        if (step !== 'list' || !('writeHead' in response)) return false;
        response.end(JSON.stringify(containers));
        return true;
      },
    });
    await removeLeftovers(service.client, undefined);
    expect(service.received.map(({ step }) => step)).toStrictEqual(['list']);
  });

  it('continues after a container that cannot be removed, such as one that another process is removing', async () => {
    const label = { [ownerLabel]: JSON.stringify({ ...present, pid: noPid }) };
    const containers = ['a', 'b', 'c'].map((Id) => ({ Id, Labels: label }));
    await using service = await fakeService({
      containers,
      answer: ({ step, path }, response) => {
        if (step !== 'remove' || path.startsWith('/containers/c?')) return false;
        return path.startsWith('/containers/a?')
          ? refuse(response, 404, 'no such container')
          : refuse(response, 500, 'container is being removed');
      },
    });
    await removeLeftovers(service.client, undefined);
    expect(service.received.map(({ path }) => path.split('?')[0])).toStrictEqual([
      '/containers/json',
      '/containers/a',
      '/containers/b',
      '/containers/c',
    ]);
  });

  it('reports a service that has ended', async () => {
    const label = { [ownerLabel]: JSON.stringify({ ...present, pid: noPid }) };
    await using service = await fakeService({
      containers: [{ Id: 'a', Labels: label }],
      answer: ({ step }, response) => {
        if (step === 'remove') response.destroy();
        return step === 'remove';
      },
    });
    await expect(removeLeftovers(service.client, undefined)).rejects.toThrow('its service does not answer');
  });
});

describe('removeContainer', () => {
  it('takes a container that does not exist as removed, and no other failure', async () => {
    await using service = await fakeService();
    await removeContainer(service.client, 'wink-none');
    await using failing = await fakeService({
      answer: (_received, response) => refuse(response, 500, 'the storage is broken'),
    });
    await expect(removeContainer(failing.client, 'wink-none')).rejects.toThrow('the storage is broken');
  });
});
