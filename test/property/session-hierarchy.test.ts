import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Session } from 'weakincentives';

/** Each step takes one of the sessions there are, by its position, and gives it a child, clones it or disposes it. */
const steps = fc.array(
  fc.record({ who: fc.nat(30), does: fc.constantFrom('bear', 'bear', 'bear', 'clone', 'dispose') }),
  { maxLength: 40 },
);

/** The ids below and of a node, children first, by the children of each id. */
function bottomUp(children: ReadonlyMap<string, readonly string[]>, id: string): readonly string[] {
  return [...(children.get(id) ?? []).flatMap((child) => bottomUp(children, child)), id];
}

describe('a family of sessions', () => {
  it('is a tree whatever is done to it', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (program) => {
        const all: Session[] = [new Session({ id: '0' })];
        const parents = new Map<string, string>();
        const children = new Map<string, string[]>();
        const disposed = new Set<string>();
        for (const { who, does } of program) {
          const session = all[who % all.length];
          if (session === undefined) continue;
          const id = String(all.length);
          const parent = does === 'bear' ? session.id : parents.get(session.id);
          if (does === 'dispose') {
            await session[Symbol.asyncDispose]();
            const siblings = children.get(parent ?? '') ?? [];
            if (!disposed.has(session.id) && parent !== undefined)
              siblings.splice(siblings.indexOf(session.id), 1);
            disposed.add(session.id);
            continue;
          }
          const isRefused = disposed.has(session.id) || (parent !== undefined && disposed.has(parent));
          const make = () => (does === 'bear' ? new Session({ id, parent: session }) : session.clone({ id }));
          if (isRefused) {
            expect(make).toThrow(expect.objectContaining({ code: 'session-disposed' }));
            continue;
          }
          all.push(make());
          if (parent === undefined) continue;
          parents.set(id, parent);
          children.set(parent, [...(children.get(parent) ?? []), id]);
        }
        for (const session of all) {
          expect(session.parent?.id).toBe(parents.get(session.id));
          expect(session.children.map(({ id }) => id)).toEqual(children.get(session.id) ?? []);
          expect(session.bottomUp().map(({ id }) => id)).toEqual(bottomUp(children, session.id));
        }
      }),
    );
  });
});
