import { expect, it } from 'vitest';
import type { Session } from 'weakincentives';
import type { RunRecord } from 'weakincentives/record';
import { winkMatchers } from 'weakincentives/vitest';

declare const session: Session;
declare const record: RunRecord;

it('types the matchers of expect by importing them', () => {
  expect.extend(winkMatchers);
  expect(session).toHaveCalled('tool', expect.objectContaining({ path: 'a.md' }));
  expect(record).not.toHaveCommitted('tool');
  expect(record).toHaveChangedFiles(['src/**']);
  expect(record).toStayWithin({ tokens: 1, turns: 2, cost: 0.1 });
  // @ts-expect-error -- A limit that is unknown.
  expect(record).toStayWithin({ seconds: 1 });
  // @ts-expect-error -- A tool has a name.
  expect(record).toHaveCalled(1);
});
