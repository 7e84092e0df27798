import { Badge } from '../components/indicators.tsx';
import { nowMs, Time } from '../format/time.tsx';

interface CredentialStateProps {
  readonly revokedAt: string | null;
  readonly expiresAt?: string | null;
}

/** Shows whether a credential is active, revoked or expired, and since or until when. */
export const CredentialState = ({ revokedAt, expiresAt = null }: CredentialStateProps) => {
  if (revokedAt !== null)
    return (
      <span>
        <Badge tone="quiet" text="revoked" />
        <span class="sub">
          <Time at={revokedAt} />
        </span>
      </span>
    );
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= nowMs.value;
  return (
    <span>
      <Badge tone={isExpired ? 'warn' : 'good'} text={isExpired ? 'expired' : 'active'} />
      {expiresAt !== null && (
        <span class="sub">
          until <Time at={expiresAt} />
        </span>
      )}
    </span>
  );
};
