"""Writes the tensor files that the tests read. Run in this folder with NumPy 2 and safetensors: python3 make_files.py

All hold the same numbers where the dtype can: a[i,j] = i + j/4 - 1 for 3 rows and 4 columns.
"""
import io
import zipfile
import numpy as np
from numpy.lib import format as npy
from safetensors.numpy import save_file

a = (np.arange(3)[:, None] + np.arange(4) / 4 - 1)


def versioned(name, array, version):
    with open(name, 'wb') as f:
        npy.write_array(f, array, version=version)


for dtype in ['f2', 'f4', 'f8', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'b1']:
    np.save(f'{dtype}.npy', (a + 1 if 'u' in dtype else a).astype(dtype))
for dtype in ['>f2', '>f4', '>f8', '>i2', '>i4', '>i8', '>u2', '>u4', '>u8']:
    np.save(f'big-{dtype[1:]}.npy', (a + 1 if 'u' in dtype else a).astype(dtype))
versioned('version2.npy', a.astype('f4'), (2, 0))
versioned('version3.npy', a.astype('f4'), (3, 0))
np.save('fortran.npy', np.asfortranarray(a.astype('f4')))
np.save('fortran3.npy', np.asfortranarray(np.arange(2 * 35 * 33, dtype='i4').reshape(2, 35, 33)))
np.save('fortran-big4.npy', np.asfortranarray(np.arange(120, dtype='>i8').reshape(2, 3, 4, 5)))
np.save('vector.npy', np.arange(5, dtype='f4'))
np.save('scalar.npy', np.float64(2.5))
np.save('empty.npy', np.zeros((2, 0, 3), 'f4'))
for dtype in ['c8', 'U3', 'M8[s]']:
    np.save('unsupported-' + dtype.replace('[', '').replace(']', '') + '.npy', np.zeros(2, dtype))
np.save('structured.npy', np.zeros(2, [('x', 'f4'), ('y', 'i4')]))
np.save('object.npy', np.array([None, 1], object), allow_pickle=True)
named = dict(w=a.astype('f4'), b=np.arange(4, dtype='i8'), flag=np.array(True))
np.savez('stored.npz', **named)
np.savez_compressed('deflated.npz', **named)
with zipfile.ZipFile('plain-names.npz', 'w') as z:
    for name, array in named.items():
        data = io.BytesIO()
        np.save(data, array)
        z.writestr(name, data.getvalue())
np.savez('none.npz')


class Unseekable(io.RawIOBase):
    def __init__(self, name):
        self.file = open(name, 'wb')

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)

    def close(self):
        self.file.close()


np.savez_compressed(Unseekable('streamed.npz'), **named)
limits = zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT
zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = 10, 1
np.savez('zip64.npz', **named)
zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = limits
save_file({'w': a.astype('f4'), 'h': a.astype('f2'), 'd': a.astype('f8'), 'i': a.astype('i4'),
           'l': a.astype('i8'), 'b': a.astype('i1'), 'u': (a + 1).astype('u1'), 'flag': a.astype('bool'),
           'e': np.zeros((0, 2), 'f4'), 's': np.array(2.5, 'f4')},
          'all.safetensors', metadata={'format': 'np', 'note': 'grüezi "x"'})
save_file({'u': np.zeros(2, 'u2')}, 'unsupported.safetensors')
