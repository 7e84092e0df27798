import { Badge } from '../components/indicators.tsx';
import { TwoLines } from '../components/view.tsx';
import { nowMs, Time } from '../format/time.tsx';

interface CredentialStateProps {
  readonly revokedAt: string | null;
  readonly expiresAt?: string | null;
}

export const CredentialState = ({ revokedAt, expiresAt = null }: CredentialStateProps) => {
  if (revokedAt !== null)
    return (
      <TwoLines sub={<Time at={revokedAt} />}>
        <Badge tone="quiet" text="revoked" />
      </TwoLines>
    );
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= nowMs.value;
  return (
    <TwoLines
      sub={
        expiresAt !== null && (
          <>
            until <Time at={expiresAt} />
          </>
        )
      }
    >
      <Badge tone={isExpired ? 'warn' : 'good'} text={isExpired ? 'expired' : 'active'} />
    </TwoLines>
  );
};
