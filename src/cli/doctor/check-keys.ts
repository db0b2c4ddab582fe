import type { CliEnvironment } from '../process/environment.ts';
import type { Finding } from './finding.ts';

/** The variables of the keys of a vendor; any of them will do. */
export const keyVariables: Readonly<Record<'openai' | 'anthropic', readonly string[]>> = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
};

/** Which keys are set. Their values are not looked at. */
export function checkKeys(variables: CliEnvironment['variables']): Finding {
  const names = Object.values(keyVariables).flat();
  const set = names.filter((name) => isSet(variables, name));
  const subject = 'keys';
  return set.length > 0
    ? { status: 'ok', subject, about: `${set.join(', ')} ${set.length === 1 ? 'is' : 'are'} set` }
    : {
        status: 'missing',
        subject,
        about: 'none is set, for --model',
        repair: 'export OPENAI_API_KEY=...',
      };
}

/** Whether a variable has a value. */
export function isSet(variables: CliEnvironment['variables'], name: string): boolean {
  return (variables[name] ?? '') !== '';
}
