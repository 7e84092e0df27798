import { grantRights } from '@popsvc/platform/event-store';
import { expect } from 'chai';

const granted = {
  $userStreamAcl: { $r: ['$admins', 'popsvc'], $w: ['$admins', 'popsvc'], $mr: ['$admins', 'popsvc'] },
  $systemStreamAcl: { $r: ['$admins', 'popsvc'] },
};
const allRights = ['$userStreamAcl.$r', '$userStreamAcl.$w', '$userStreamAcl.$mr', '$systemStreamAcl.$r'];

describe('rights of a login in the settings of EventStoreDB', () => {
  it('name the login and the administrators on a server without settings', () => {
    expect(grantRights({}, 'popsvc')).to.deep.equal({ settings: granted, changed: allRights });
  });

  it('change nothing if the login has them', () => {
    expect(grantRights(granted, 'popsvc')).to.deep.equal({ settings: granted, changed: [] });
  });

  it('keep other logins, other rights, and settings that the service does not know', () => {
    const current = {
      $userStreamAcl: { $r: 'reports', $d: 'owner', $w: ['$admins', 'other'], $x: 1 },
      $systemStreamAcl: { $r: ['$admins'], $w: '$admins' },
      other: { a: 1 },
    };
    const { settings, changed } = grantRights(current, 'popsvc');
    expect(settings).to.deep.equal({
      $userStreamAcl: {
        $r: ['reports', 'popsvc'],
        $d: 'owner',
        $w: ['$admins', 'other', 'popsvc'],
        $mr: ['$admins', 'popsvc'],
        $x: 1,
      },
      $systemStreamAcl: { $r: ['$admins', 'popsvc'], $w: '$admins' },
      other: { a: 1 },
    });
    expect(changed).to.deep.equal(allRights);
    expect(current.$systemStreamAcl.$r).to.deep.equal(['$admins']);
  });

  it('leave a right as it is that all logins have', () => {
    const { settings, changed } = grantRights({ $userStreamAcl: { $r: '$all', $w: ['$all'] } }, 'popsvc');
    expect(settings.$userStreamAcl).to.deep.equal({ $r: '$all', $w: ['$all'], $mr: ['$admins', 'popsvc'] });
    expect(changed).to.deep.equal(['$userStreamAcl.$mr', '$systemStreamAcl.$r']);
  });
});
