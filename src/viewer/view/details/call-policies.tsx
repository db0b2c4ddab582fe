import type { VNode } from 'preact';
import type { PolicyAnswer } from '../../../core/runtime/index.ts';
import type { RecordedAttempt, RecordedCall } from '../../../record/index.ts';
import { askedMs } from '../../model/phases.ts';
import { visible } from '../../model/visible.ts';
import { duration } from '../../model/words.ts';
import { Empty, Icon, Section } from '../parts/parts.tsx';
import { useStore } from '../store/store.ts';

/** Which policies were asked: what refused or asked a person is a row, what allowed one line. */
export function CallPolicies(props: {
  readonly call: RecordedCall;
  readonly attempt: RecordedAttempt | undefined;
}): VNode {
  const { call, attempt } = props;
  const answers = attempt?.policies ?? [];
  const weighty = answers.filter(({ outcome }) => outcome !== 'allow');
  const allowed = answers.filter(({ outcome }) => outcome === 'allow');
  return (
    <Section title="Policies">
      {weighty.map((answer, index) => (
        <Answer key={index} answer={answer} call={call} />
      ))}
      {answers.length === 0 ? (
        <Empty>
          {call.outcome === 'rejected'
            ? 'None was asked: policies see only arguments that fit.'
            : call.run.policies.length === 0
              ? 'The prompt of this call has no policies.'
              : 'None refused it, asked a person, or examined its changes.'}
        </Empty>
      ) : null}
      {allowed.length === 0 ? null : (
        <p class="secondary">
          {allowedBy(allowed, 'call', 'The call was allowed by ')}
          {allowedBy(allowed, 'changes', 'Its changes were allowed by ')}
        </p>
      )}
    </Section>
  );
}

function allowedBy(answers: readonly PolicyAnswer[], about: PolicyAnswer['about'], words: string): string {
  const names = answers.filter((answer) => answer.about === about).map(({ policy }) => policy);
  return names.length === 0 ? '' : visible(`${words}${names.join(', ')}. `);
}

function Answer({ answer, call }: { readonly answer: PolicyAnswer; readonly call: RecordedCall }): VNode {
  const store = useStore();
  const approvals = call.approvals.filter(
    ({ policy, about }) => policy === answer.policy && about === answer.about,
  );
  const verb = answer.outcome === 'ask' ? 'asked' : 'denied';
  return (
    <div class="item">
      <Icon mark={answer.outcome === 'ask' ? 'ask' : 'denied'} />
      <div>
        <b>{visible(answer.policy)}</b>
        {answer.policyPrompt === undefined ? '' : ` of ${visible(answer.policyPrompt)}`}
        {answer.isEnforced ? ` ${verb}` : ` would have ${verb}, but is not enforced`}
        {answer.about === 'changes' ? ', about the changes' : ', before it ran'}
        {answer.reason === undefined ? null : <p>{visible(answer.reason)}</p>}
        {approvals.map(({ approved, answer: words }, index) => (
          <p key={index}>
            {approved ? 'Approved' : 'Not approved'}
            {askedMs([call]) > 0 ? ` after ${duration(askedMs([call]))}` : ''}
            {words === undefined ? '.' : `: ${visible(words)}`}
          </p>
        ))}
      </div>
      <button class="link right" onClick={() => store.showTab('policies')}>
        Matrix
      </button>
    </div>
  );
}
