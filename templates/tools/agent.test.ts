import { expect, it } from 'vitest';
import { runAgent, Session } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { winkMatchers } from 'weakincentives/vitest';
import { agent, Tickets } from './agent.ts';

expect.extend(winkMatchers);

it('routes both tickets', async () => {
  await using session = new Session();
  const { output } = await runAgent(agent, { session });

  expect(output.assigned.map(({ id, team }) => [id, team])).toEqual([
    ['T-1', 'billing'],
    ['T-2', 'ops'],
  ]);
  expect(session).toHaveCommitted('assign_ticket', { id: 'T-2', team: 'ops', priority: 'high' });
  expect(session).toStayWithin({ turns: 5 });
});

it('gives nothing of low priority to ops', async () => {
  await using session = new Session();
  await runAgent(agent, { session });

  const low = { id: 'T-2', team: 'ops', priority: 'low' };
  expect(session).toHaveCalled('assign_ticket', low);
  expect(session).not.toHaveCommitted('assign_ticket', low);
});

it('leaves the tickets as they are when there is no such ticket', async () => {
  await using session = new Session();
  // A script of your own, in the place of the agent's model.
  const adapter = scriptedAdapter([
    { toolCalls: [{ name: 'assign_ticket', arguments: { id: 'T-9', team: 'ops', priority: 'high' } }] },
    { text: '{ "assigned": [] }' },
  ]);
  await runAgent(agent, { session, adapter });

  expect(session).not.toHaveCommitted('assign_ticket');
  expect(
    session
      .slice(Tickets)
      .all()
      .every(({ assigned }) => assigned === undefined),
  ).toBe(true);
});
