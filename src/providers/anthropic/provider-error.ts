import type { ProviderErrorOptions } from '../kit/index.ts';

/** Anthropic's error types with a meaning beyond the status. */
export const anthropicErrorCodes: ProviderErrorOptions = {
  codes: {
    rate_limit_error: 'rate-limit',
    ramp_limit_exceeded: 'rate-limit',
    overloaded_error: 'server-error',
    api_error: 'server-error',
    timeout_error: 'timeout',
    billing_error: 'quota',
    contract_spend_limit_reached: 'quota',
    enforced_spend_limit_reached: 'quota',
    linked_organization_billing_unavailable: 'quota',
    linked_organization_spend_limit_reached: 'quota',
    request_too_large: 'context',
  },
};
